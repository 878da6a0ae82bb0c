from openenv.core.env_server.http_server import create_app

try:
    from ..models import TrailersAction, TrailersObservation
    from .environment import TrailersEnvironment
except ImportError:
    from models import TrailersAction, TrailersObservation
    from server.environment import TrailersEnvironment

app = create_app(TrailersEnvironment, TrailersAction, TrailersObservation, env_name="trailers")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
