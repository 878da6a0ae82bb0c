"""FastAPI application for the regatta environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import RegattaAction, RegattaObservation
    from .environment import RegattaEnvironment
except ImportError:
    from models import RegattaAction, RegattaObservation
    from server.environment import RegattaEnvironment

app = create_app(RegattaEnvironment, RegattaAction, RegattaObservation, env_name="regatta")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
