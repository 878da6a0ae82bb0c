"""FastAPI application for the Glacier crossing environment."""

from openenv.core.env_server import create_app

try:
    from ..models import GlacierAction, GlacierObservation
    from .environment import GlacierEnvironment
except ImportError:
    from models import GlacierAction, GlacierObservation
    from server.environment import GlacierEnvironment

app = create_app(GlacierEnvironment, GlacierAction, GlacierObservation, env_name="glacier")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
