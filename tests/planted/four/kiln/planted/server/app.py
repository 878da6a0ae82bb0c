"""HTTP/WebSocket server of the kiln environment."""

from openenv.core.env_server import create_app

try:
    from ..models import KilnAction, KilnObservation, KilnState
    from .environment import KilnEnvironment
except ImportError:
    from models import KilnAction, KilnObservation, KilnState
    from server.environment import KilnEnvironment

app = create_app(
    KilnEnvironment,
    KilnAction,
    KilnObservation,
    env_name="kiln",
    state_cls=KilnState,
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
