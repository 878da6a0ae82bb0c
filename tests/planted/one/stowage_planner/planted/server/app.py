"""FastAPI application for the stowage planner environment."""

from openenv.core.env_server import create_app

try:
    from ..models import StowageAction, StowageObservation
except ImportError:
    from models import StowageAction, StowageObservation

from .environment import StowageEnvironment

app = create_app(StowageEnvironment, StowageAction, StowageObservation, env_name="stowage_planner")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
