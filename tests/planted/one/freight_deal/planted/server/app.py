"""FastAPI application for the freight deal environment."""

from openenv.core.env_server import create_app

try:
    from ..models import FreightAction, FreightObservation
except ImportError:
    from models import FreightAction, FreightObservation

from .environment import FreightDealEnvironment

app = create_app(FreightDealEnvironment, FreightAction, FreightObservation, env_name="freight_deal")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
