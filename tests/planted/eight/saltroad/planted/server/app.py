from openenv.core.env_server.http_server import create_app

try:
    from ..models import SaltroadAction, SaltroadObservation
    from .environment import SaltroadEnvironment
except ImportError:
    from models import SaltroadAction, SaltroadObservation
    from server.environment import SaltroadEnvironment

app = create_app(SaltroadEnvironment, SaltroadAction, SaltroadObservation, env_name="saltroad")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
