from openenv.core.env_server.http_server import create_app

try:
    from ..models import DishAction, DishObservation
    from .environment import DishEnvironment
except ImportError:
    from models import DishAction, DishObservation
    from server.environment import DishEnvironment

app = create_app(
    DishEnvironment, DishAction, DishObservation, env_name="dish"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
