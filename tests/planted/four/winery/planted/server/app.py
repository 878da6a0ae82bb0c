"""HTTP/WebSocket server of the winery environment."""

from openenv.core.env_server import create_app

try:
    from ..models import WineryAction, WineryObservation, WineryState
    from .environment import WineryEnvironment
except ImportError:
    from models import WineryAction, WineryObservation, WineryState
    from server.environment import WineryEnvironment

app = create_app(
    WineryEnvironment,
    WineryAction,
    WineryObservation,
    env_name="winery",
    state_cls=WineryState,
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
