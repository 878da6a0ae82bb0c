"""FastAPI entry point: uvicorn server.app:app --port 8000"""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import SplitsAction, SplitsObservation
    from .environment import SplitsEnvironment
except ImportError:
    from models import SplitsAction, SplitsObservation
    from server.environment import SplitsEnvironment

app = create_app(SplitsEnvironment, SplitsAction, SplitsObservation, env_name="splits")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
