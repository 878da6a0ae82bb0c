"""FastAPI entry point: uvicorn server.app:app --port 8000"""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import DownlinkAction, DownlinkObservation
    from .environment import DownlinkEnvironment
except ImportError:
    from models import DownlinkAction, DownlinkObservation
    from server.environment import DownlinkEnvironment

app = create_app(DownlinkEnvironment, DownlinkAction, DownlinkObservation, env_name="downlink")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
