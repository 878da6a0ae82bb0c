"""FastAPI application of the Waterworks environment."""

from openenv.core.env_server import create_app

try:
    from ..models import WaterworksAction, WaterworksObservation
    from .environment import WaterworksEnvironment
except ImportError:
    from models import WaterworksAction, WaterworksObservation
    from server.environment import WaterworksEnvironment

app = create_app(WaterworksEnvironment, WaterworksAction, WaterworksObservation, env_name="waterworks")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
