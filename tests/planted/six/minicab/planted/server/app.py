from openenv.core.env_server.http_server import create_app

try:
    from ..models import MinicabAction, MinicabObservation
    from .environment import MinicabEnvironment
except ImportError:
    from models import MinicabAction, MinicabObservation
    from server.environment import MinicabEnvironment

app = create_app(
    MinicabEnvironment, MinicabAction, MinicabObservation, env_name="minicab"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
