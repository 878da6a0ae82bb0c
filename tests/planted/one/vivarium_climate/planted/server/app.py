"""FastAPI application for the vivarium climate environment."""

from openenv.core.env_server import create_app

try:
    from ..models import ClimateAction, ClimateObservation
except ImportError:
    from models import ClimateAction, ClimateObservation

from .environment import VivariumEnvironment

app = create_app(VivariumEnvironment, ClimateAction, ClimateObservation, env_name="vivarium_climate")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
