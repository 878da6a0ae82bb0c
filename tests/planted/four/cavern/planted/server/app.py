"""FastAPI application for the cavern environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import CavernAction, CavernObservation
    from .environment import CavernEnvironment
except ImportError:
    from models import CavernAction, CavernObservation
    from server.environment import CavernEnvironment

app = create_app(CavernEnvironment, CavernAction, CavernObservation, env_name="cavern")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
