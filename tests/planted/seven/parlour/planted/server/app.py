from openenv.core.env_server.http_server import create_app

try:
    from ..models import ParlourAction, ParlourObservation
    from .environment import ParlourEnvironment
except ImportError:
    from models import ParlourAction, ParlourObservation
    from server.environment import ParlourEnvironment

app = create_app(ParlourEnvironment, ParlourAction, ParlourObservation, env_name="parlour")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
