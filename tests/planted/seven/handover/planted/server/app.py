from openenv.core.env_server.http_server import create_app

try:
    from ..models import HandoverAction, HandoverObservation
    from .environment import HandoverEnvironment
except ImportError:
    from models import HandoverAction, HandoverObservation
    from server.environment import HandoverEnvironment

app = create_app(
    HandoverEnvironment, HandoverAction, HandoverObservation, env_name="handover"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
