"""FastAPI application for the pattern workshop environment.

Run with:
    uvicorn server.app:app --host 0.0.0.0 --port 8000
"""

from openenv.core.env_server import create_app

try:
    from ..models import PatternAction, WorkshopObservation
except ImportError:
    from models import PatternAction, WorkshopObservation

from .environment import PatternWorkshopEnvironment

app = create_app(PatternWorkshopEnvironment, PatternAction, WorkshopObservation, env_name="pattern_workshop")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
