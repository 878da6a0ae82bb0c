"""FastAPI application for the moderation queue environment.

Run with:
    uvicorn server.app:app --host 0.0.0.0 --port 8000
"""

from openenv.core.env_server import create_app

try:
    from ..models import ModerationAction, QueueObservation
except ImportError:
    from models import ModerationAction, QueueObservation

from .environment import ModerationQueueEnvironment

app = create_app(ModerationQueueEnvironment, ModerationAction, QueueObservation, env_name="moderation_queue")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
