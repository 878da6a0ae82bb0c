"""FastAPI application for the incident report environment.

Run with:
    uvicorn server.app:app --host 0.0.0.0 --port 8000
"""

from openenv.core.env_server import create_app

try:
    from ..models import SectionAction, ReportObservation
except ImportError:
    from models import SectionAction, ReportObservation

from .environment import IncidentReportEnvironment

app = create_app(IncidentReportEnvironment, SectionAction, ReportObservation, env_name="incident_report")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
