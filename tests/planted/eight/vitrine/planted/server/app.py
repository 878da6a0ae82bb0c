from openenv.core.env_server.http_server import create_app

try:
    from ..models import VitrineAction, VitrineObservation
    from .environment import VitrineEnvironment
except ImportError:
    from models import VitrineAction, VitrineObservation
    from server.environment import VitrineEnvironment

app = create_app(VitrineEnvironment, VitrineAction, VitrineObservation, env_name="vitrine")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
