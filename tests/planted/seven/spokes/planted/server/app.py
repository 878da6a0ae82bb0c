from openenv.core.env_server.http_server import create_app

try:
    from ..models import SpokesAction, SpokesObservation
    from .environment import SpokesEnvironment
except ImportError:
    from models import SpokesAction, SpokesObservation
    from server.environment import SpokesEnvironment

app = create_app(SpokesEnvironment, SpokesAction, SpokesObservation, env_name="spokes")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
