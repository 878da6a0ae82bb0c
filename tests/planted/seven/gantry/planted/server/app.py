from openenv.core.env_server.http_server import create_app

try:
    from ..models import GantryAction, GantryObservation
    from .environment import GantryEnvironment
except ImportError:
    from models import GantryAction, GantryObservation
    from server.environment import GantryEnvironment

app = create_app(
    GantryEnvironment, GantryAction, GantryObservation, env_name="gantry"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
