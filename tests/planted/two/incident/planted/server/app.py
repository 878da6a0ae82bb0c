from openenv.core.env_server import create_app

try:
    from ..models import IncidentAction, IncidentObservation
    from .environment import IncidentDeskEnvironment
except ImportError:
    from models import IncidentAction, IncidentObservation
    from server.environment import IncidentDeskEnvironment

app = create_app(IncidentDeskEnvironment, IncidentAction, IncidentObservation, env_name="incident_desk")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
