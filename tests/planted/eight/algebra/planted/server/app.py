from openenv.core.env_server.http_server import create_app

try:
    from ..models import AlgebraAction, AlgebraObservation
    from .environment import AlgebraEnvironment
except ImportError:
    from models import AlgebraAction, AlgebraObservation
    from server.environment import AlgebraEnvironment

app = create_app(
    AlgebraEnvironment, AlgebraAction, AlgebraObservation, env_name="algebra"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
