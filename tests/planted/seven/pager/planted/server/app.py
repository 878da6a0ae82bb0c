from openenv.core.env_server.http_server import create_app

try:
    from ..models import PagerAction, PagerObservation
    from .environment import PagerEnvironment
except ImportError:
    from models import PagerAction, PagerObservation
    from server.environment import PagerEnvironment

app = create_app(PagerEnvironment, PagerAction, PagerObservation, env_name="pager")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
