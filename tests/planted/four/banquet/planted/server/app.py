"""HTTP/WebSocket server of the banquet environment."""

from openenv.core.env_server import create_app

try:
    from ..models import BanquetAction, BanquetObservation, BanquetState
    from .environment import BanquetEnvironment
except ImportError:
    from models import BanquetAction, BanquetObservation, BanquetState
    from server.environment import BanquetEnvironment

app = create_app(
    BanquetEnvironment,
    BanquetAction,
    BanquetObservation,
    env_name="banquet",
    state_cls=BanquetState,
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
