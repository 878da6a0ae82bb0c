from openenv.core.env_server.http_server import create_app

try:
    from ..models import RowmillAction, RowmillObservation
    from .environment import RowmillEnvironment
except ImportError:
    from models import RowmillAction, RowmillObservation
    from server.environment import RowmillEnvironment

app = create_app(
    RowmillEnvironment, RowmillAction, RowmillObservation, env_name="rowmill"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
