from openenv.core.env_server import create_app

try:
    from ..models import InspectAction, InspectObservation
    from .environment import GoodsInwardEnv
except ImportError:
    from models import InspectAction, InspectObservation
    from server.environment import GoodsInwardEnv

app = create_app(GoodsInwardEnv, InspectAction, InspectObservation, env_name="goods_inward")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
