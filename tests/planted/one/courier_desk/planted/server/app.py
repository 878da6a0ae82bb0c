"""FastAPI application for the courier desk environment."""

from openenv.core.env_server import create_app

try:
    from ..models import CourierAction, CourierObservation
except ImportError:
    from models import CourierAction, CourierObservation

from .environment import CourierDeskEnvironment

app = create_app(CourierDeskEnvironment, CourierAction, CourierObservation, env_name="courier_desk")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
