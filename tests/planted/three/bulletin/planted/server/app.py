"""FastAPI application of the Climate Bulletin environment."""

from openenv.core.env_server import create_app

try:
    from ..models import BulletinAction, BulletinObservation
    from .environment import BulletinEnvironment
except ImportError:
    from models import BulletinAction, BulletinObservation
    from server.environment import BulletinEnvironment

app = create_app(BulletinEnvironment, BulletinAction, BulletinObservation, env_name="bulletin")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
