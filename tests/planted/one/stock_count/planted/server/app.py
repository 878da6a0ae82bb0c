"""FastAPI application for the stock count environment."""

from openenv.core.env_server import create_app

try:
    from ..models import StockAction, StockObservation
except ImportError:
    from models import StockAction, StockObservation

from .environment import StockCountEnvironment

app = create_app(StockCountEnvironment, StockAction, StockObservation, env_name="stock_count")


def main(host: str = "0.0.0.0", port: int = 8000):
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
