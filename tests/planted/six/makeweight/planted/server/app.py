"""FastAPI app of the makeweight environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import MakeweightAction, MakeweightObservation
    from .environment import MakeweightEnvironment
except ImportError:
    from models import MakeweightAction, MakeweightObservation
    from server.environment import MakeweightEnvironment

app = create_app(
    MakeweightEnvironment,
    MakeweightAction,
    MakeweightObservation,
    env_name="makeweight",
)


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
