"""FastAPI application for the harbour tugs environment."""

from openenv.core.env_server import create_app

try:
    from ..models import TugAction, TugObservation
except ImportError:
    from models import TugAction, TugObservation

from .environment import HarbourTugsEnvironment

app = create_app(HarbourTugsEnvironment, TugAction, TugObservation, env_name="harbour_tugs")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
