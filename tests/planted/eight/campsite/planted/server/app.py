from openenv.core.env_server.http_server import create_app

try:
    from ..models import CampsiteAction, CampsiteObservation
    from .environment import CampsiteEnvironment
except ImportError:
    from models import CampsiteAction, CampsiteObservation
    from server.environment import CampsiteEnvironment

app = create_app(
    CampsiteEnvironment, CampsiteAction, CampsiteObservation, env_name="campsite"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
