"""FastAPI application of the Lamplight environment."""

from openenv.core.env_server import create_app

try:
    from ..models import LamplightAction, LamplightObservation
    from .environment import LamplightEnvironment
except ImportError:
    from models import LamplightAction, LamplightObservation
    from server.environment import LamplightEnvironment

app = create_app(LamplightEnvironment, LamplightAction, LamplightObservation, env_name="lamplight")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
