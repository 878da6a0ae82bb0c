"""FastAPI application of the Timetable environment."""

from openenv.core.env_server import create_app

try:
    from ..models import TimetableAction, TimetableObservation
    from .environment import TimetableEnvironment
except ImportError:
    from models import TimetableAction, TimetableObservation
    from server.environment import TimetableEnvironment

app = create_app(TimetableEnvironment, TimetableAction, TimetableObservation, env_name="timetable")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
