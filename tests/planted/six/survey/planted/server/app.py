"""FastAPI app of the survey environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import SurveyAction, SurveyObservation
    from .environment import SurveyEnvironment
except ImportError:
    from models import SurveyAction, SurveyObservation
    from server.environment import SurveyEnvironment

app = create_app(SurveyEnvironment, SurveyAction, SurveyObservation, env_name="survey")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
