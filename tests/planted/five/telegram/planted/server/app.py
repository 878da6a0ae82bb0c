"""FastAPI application for the Telegram environment."""

from openenv.core.env_server import create_app

try:
    from ..models import TelegramAction, TelegramObservation
    from .environment import TelegramEnvironment
except ImportError:
    from models import TelegramAction, TelegramObservation
    from server.environment import TelegramEnvironment

app = create_app(TelegramEnvironment, TelegramAction, TelegramObservation, env_name="telegram")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
