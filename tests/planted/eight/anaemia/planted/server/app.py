from openenv.core.env_server.http_server import create_app

try:
    from ..models import AnaemiaAction, AnaemiaObservation
    from .environment import AnaemiaEnvironment
except ImportError:
    from models import AnaemiaAction, AnaemiaObservation
    from server.environment import AnaemiaEnvironment

app = create_app(AnaemiaEnvironment, AnaemiaAction, AnaemiaObservation, env_name="anaemia")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
