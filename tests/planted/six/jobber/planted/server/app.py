"""Entry point of the jobber server."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import JobberAction, JobberObservation
    from .environment import JobberEnvironment
except ImportError:
    from models import JobberAction, JobberObservation
    from server.environment import JobberEnvironment

app = create_app(JobberEnvironment, JobberAction, JobberObservation, env_name="jobber")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
