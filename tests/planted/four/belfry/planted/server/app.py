"""HTTP/WebSocket server of the belfry environment."""

from openenv.core.env_server import create_app

try:
    from ..models import BelfryAction, BelfryObservation, BelfryState
    from .environment import BelfryEnvironment
except ImportError:
    from models import BelfryAction, BelfryObservation, BelfryState
    from server.environment import BelfryEnvironment

app = create_app(
    BelfryEnvironment,
    BelfryAction,
    BelfryObservation,
    env_name="belfry",
    state_cls=BelfryState,
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
