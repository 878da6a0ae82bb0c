"""FastAPI entry point: uvicorn server.app:app --port 8000"""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import FerryAction, FerryObservation
    from .environment import FerryEnvironment
except ImportError:
    from models import FerryAction, FerryObservation
    from server.environment import FerryEnvironment

app = create_app(FerryEnvironment, FerryAction, FerryObservation, env_name="ferry")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
