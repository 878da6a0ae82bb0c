from openenv.core.env_server.http_server import create_app

try:
    from ..models import FloesAction, FloesObservation
    from .environment import FloesEnvironment
except ImportError:
    from models import FloesAction, FloesObservation
    from server.environment import FloesEnvironment

app = create_app(
    FloesEnvironment, FloesAction, FloesObservation, env_name="floes"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
