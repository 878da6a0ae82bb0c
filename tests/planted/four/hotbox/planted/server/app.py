"""HTTP/WebSocket server of the hotbox environment."""

from openenv.core.env_server import create_app

try:
    from ..models import HotboxAction, HotboxObservation, HotboxState
    from .environment import HotboxEnvironment
except ImportError:
    from models import HotboxAction, HotboxObservation, HotboxState
    from server.environment import HotboxEnvironment

app = create_app(
    HotboxEnvironment,
    HotboxAction,
    HotboxObservation,
    env_name="hotbox",
    state_cls=HotboxState,
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
