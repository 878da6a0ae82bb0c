"""FastAPI application of the dispensary counter."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import PharmacyAction, PharmacyObservation
    from .environment import PharmacyEnvironment
except ImportError:
    from models import PharmacyAction, PharmacyObservation
    from server.environment import PharmacyEnvironment

app = create_app(
    PharmacyEnvironment, PharmacyAction, PharmacyObservation, env_name="pharmacy"
)


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
