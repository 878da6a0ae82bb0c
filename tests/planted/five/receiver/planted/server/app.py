"""FastAPI app of the receiver environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import ReceiverAction, ReceiverObservation
    from .environment import ReceiverEnvironment
except ImportError:
    from models import ReceiverAction, ReceiverObservation
    from server.environment import ReceiverEnvironment

app = create_app(
    ReceiverEnvironment, ReceiverAction, ReceiverObservation, env_name="receiver"
)


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
