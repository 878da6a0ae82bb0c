"""FastAPI app of the barley environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import BarleyAction, BarleyObservation
    from .environment import BarleyEnvironment
except ImportError:
    from models import BarleyAction, BarleyObservation
    from server.environment import BarleyEnvironment

app = create_app(BarleyEnvironment, BarleyAction, BarleyObservation, env_name="barley")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
