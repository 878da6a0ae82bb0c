"""FastAPI application for the birding environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import BirdingAction, BirdingObservation
    from .environment import BirdingEnvironment
except ImportError:
    from models import BirdingAction, BirdingObservation
    from server.environment import BirdingEnvironment

app = create_app(BirdingEnvironment, BirdingAction, BirdingObservation, env_name="birding")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
