from openenv.core.env_server.http_server import create_app

try:
    from ..models import VoucherAction, VoucherObservation
    from .environment import VoucherEnvironment
except ImportError:
    from models import VoucherAction, VoucherObservation
    from server.environment import VoucherEnvironment

app = create_app(VoucherEnvironment, VoucherAction, VoucherObservation, env_name="voucher")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
