"""FastAPI application for the horology environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import HorologyAction, HorologyObservation
    from .environment import HorologyEnvironment
except ImportError:
    from models import HorologyAction, HorologyObservation
    from server.environment import HorologyEnvironment

app = create_app(HorologyEnvironment, HorologyAction, HorologyObservation, env_name="horology")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
