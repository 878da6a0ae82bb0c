from openenv.core.env_server.http_server import create_app

try:
    from ..models import QuerydeskAction, QuerydeskObservation
    from .environment import QuerydeskEnvironment
except ImportError:
    from models import QuerydeskAction, QuerydeskObservation
    from server.environment import QuerydeskEnvironment

app = create_app(
    QuerydeskEnvironment, QuerydeskAction, QuerydeskObservation, env_name="querydesk"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
