"""HTTP/WebSocket server of the piano environment."""

from openenv.core.env_server import create_app

try:
    from ..models import PianoAction, PianoObservation, PianoState
    from .environment import PianoEnvironment
except ImportError:
    from models import PianoAction, PianoObservation, PianoState
    from server.environment import PianoEnvironment

app = create_app(
    PianoEnvironment,
    PianoAction,
    PianoObservation,
    env_name="piano",
    state_cls=PianoState,
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
