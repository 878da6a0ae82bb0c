"""FastAPI application for the Specimen environment."""

from openenv.core.env_server import create_app

try:
    from ..models import SpecimenAction, SpecimenObservation
    from .environment import SpecimenEnvironment
except ImportError:
    from models import SpecimenAction, SpecimenObservation
    from server.environment import SpecimenEnvironment

app = create_app(SpecimenEnvironment, SpecimenAction, SpecimenObservation, env_name="specimen")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
