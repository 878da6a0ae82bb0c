from openenv.core.env_server.http_server import create_app

try:
    from ..models import CamtrapAction, CamtrapObservation
    from .environment import CamtrapEnvironment
except ImportError:
    from models import CamtrapAction, CamtrapObservation
    from server.environment import CamtrapEnvironment

app = create_app(
    CamtrapEnvironment, CamtrapAction, CamtrapObservation, env_name="camtrap"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
