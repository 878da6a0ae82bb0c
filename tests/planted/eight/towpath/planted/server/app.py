from openenv.core.env_server.http_server import create_app

try:
    from ..models import TowpathAction, TowpathObservation
    from .environment import TowpathEnvironment
except ImportError:
    from models import TowpathAction, TowpathObservation
    from server.environment import TowpathEnvironment

app = create_app(TowpathEnvironment, TowpathAction, TowpathObservation, env_name="towpath")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
