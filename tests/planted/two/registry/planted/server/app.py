from openenv.core.env_server import create_app

try:
    from ..models import RegistryAction, RegistryObservation
    from .environment import ShipRegistryEnvironment
except ImportError:
    from models import RegistryAction, RegistryObservation
    from server.environment import ShipRegistryEnvironment

app = create_app(ShipRegistryEnvironment, RegistryAction, RegistryObservation, env_name="ship_registry")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
