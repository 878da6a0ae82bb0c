"""FastAPI entry point: uvicorn server.app:app --port 8000"""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import TariffAction, TariffObservation
    from .environment import TariffEnvironment
except ImportError:
    from models import TariffAction, TariffObservation
    from server.environment import TariffEnvironment

app = create_app(TariffEnvironment, TariffAction, TariffObservation, env_name="tariff")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
