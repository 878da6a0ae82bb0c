from openenv.core.env_server.http_server import create_app

try:
    from ..models import CreditMemoAction, CreditMemoObservation
    from .environment import CreditMemoEnvironment
except ImportError:
    from models import CreditMemoAction, CreditMemoObservation
    from server.environment import CreditMemoEnvironment

app = create_app(CreditMemoEnvironment, CreditMemoAction, CreditMemoObservation, env_name="creditmemo")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
