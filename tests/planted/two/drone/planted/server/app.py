from openenv.core.env_server import create_app

try:
    from ..models import DroneAction, DroneObservation
    from .environment import SurveyDroneEnv
except ImportError:
    from models import DroneAction, DroneObservation
    from server.environment import SurveyDroneEnv

app = create_app(SurveyDroneEnv, DroneAction, DroneObservation, env_name="survey_drone")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
