"""FastAPI application for the collimator environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import CollimatorAction, CollimatorObservation
    from .environment import CollimatorEnvironment
except ImportError:
    from models import CollimatorAction, CollimatorObservation
    from server.environment import CollimatorEnvironment

app = create_app(CollimatorEnvironment, CollimatorAction, CollimatorObservation, env_name="collimator")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
