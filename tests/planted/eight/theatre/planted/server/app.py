from openenv.core.env_server.http_server import create_app

try:
    from ..models import TheatreAction, TheatreObservation
    from .environment import TheatreEnvironment
except ImportError:
    from models import TheatreAction, TheatreObservation
    from server.environment import TheatreEnvironment

app = create_app(
    TheatreEnvironment, TheatreAction, TheatreObservation, env_name="theatre"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
