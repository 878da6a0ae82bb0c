"""FastAPI application for the borewell environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import BorewellAction, BorewellObservation
    from .environment import BorewellEnvironment
except ImportError:
    from models import BorewellAction, BorewellObservation
    from server.environment import BorewellEnvironment

app = create_app(BorewellEnvironment, BorewellAction, BorewellObservation, env_name="borewell")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
