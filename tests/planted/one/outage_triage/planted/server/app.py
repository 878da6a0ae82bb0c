"""FastAPI application for the outage triage environment."""

from openenv.core.env_server import create_app

try:
    from ..models import TriageAction, TriageObservation
except ImportError:
    from models import TriageAction, TriageObservation

from .environment import OutageTriageEnvironment

app = create_app(OutageTriageEnvironment, TriageAction, TriageObservation, env_name="outage_triage")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
