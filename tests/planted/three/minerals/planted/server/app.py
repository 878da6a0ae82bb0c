"""FastAPI entry point: uvicorn server.app:app --port 8000"""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import MineralsAction, MineralsObservation
    from .environment import MineralsEnvironment
except ImportError:
    from models import MineralsAction, MineralsObservation
    from server.environment import MineralsEnvironment

app = create_app(MineralsEnvironment, MineralsAction, MineralsObservation, env_name="minerals")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
