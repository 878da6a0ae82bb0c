"""FastAPI app of the cold room environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import ColdroomAction, ColdroomObservation
    from .environment import ColdroomEnvironment
except ImportError:
    from models import ColdroomAction, ColdroomObservation
    from server.environment import ColdroomEnvironment

app = create_app(
    ColdroomEnvironment, ColdroomAction, ColdroomObservation, env_name="coldroom"
)


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
