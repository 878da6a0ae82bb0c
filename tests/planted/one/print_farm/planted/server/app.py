"""FastAPI application for the print farm environment."""

from openenv.core.env_server import create_app

try:
    from ..models import PrintFarmAction, PrintFarmObservation
except ImportError:
    from models import PrintFarmAction, PrintFarmObservation

from .environment import PrintFarmEnvironment

app = create_app(PrintFarmEnvironment, PrintFarmAction, PrintFarmObservation, env_name="print_farm")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
