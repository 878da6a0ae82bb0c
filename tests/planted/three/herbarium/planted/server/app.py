"""FastAPI application of the Herbarium environment."""

from openenv.core.env_server import create_app

try:
    from ..models import HerbariumAction, HerbariumObservation
    from .environment import HerbariumEnvironment
except ImportError:
    from models import HerbariumAction, HerbariumObservation
    from server.environment import HerbariumEnvironment

app = create_app(HerbariumEnvironment, HerbariumAction, HerbariumObservation, env_name="herbarium")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
