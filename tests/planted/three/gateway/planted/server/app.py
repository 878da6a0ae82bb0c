"""FastAPI entry point: uvicorn server.app:app --port 8000"""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import GatewayAction, GatewayObservation
    from .environment import GatewayEnvironment
except ImportError:
    from models import GatewayAction, GatewayObservation
    from server.environment import GatewayEnvironment

app = create_app(GatewayEnvironment, GatewayAction, GatewayObservation, env_name="gateway")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
