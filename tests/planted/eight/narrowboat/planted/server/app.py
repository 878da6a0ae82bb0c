from openenv.core.env_server.http_server import create_app

try:
    from ..models import NarrowboatAction, NarrowboatObservation
    from .environment import NarrowboatEnvironment
except ImportError:
    from models import NarrowboatAction, NarrowboatObservation
    from server.environment import NarrowboatEnvironment

app = create_app(
    NarrowboatEnvironment, NarrowboatAction, NarrowboatObservation, env_name="narrowboat"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
