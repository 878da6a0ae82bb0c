"""FastAPI application of the Shelving environment."""

from openenv.core.env_server import create_app

try:
    from ..models import ShelvingAction, ShelvingObservation
    from .environment import ShelvingEnvironment
except ImportError:
    from models import ShelvingAction, ShelvingObservation
    from server.environment import ShelvingEnvironment

app = create_app(ShelvingEnvironment, ShelvingAction, ShelvingObservation, env_name="shelving")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
