from openenv.core.env_server.http_server import create_app

try:
    from ..models import ReagentsAction, ReagentsObservation
    from .environment import ReagentsEnvironment
except ImportError:
    from models import ReagentsAction, ReagentsObservation
    from server.environment import ReagentsEnvironment

app = create_app(ReagentsEnvironment, ReagentsAction, ReagentsObservation, env_name="reagents")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
