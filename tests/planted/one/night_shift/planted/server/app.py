"""FastAPI application for the night shift environment.

Run with:
    uvicorn server.app:app --host 0.0.0.0 --port 8000
"""

from openenv.core.env_server import create_app

try:
    from ..models import PressAction, FloorObservation
except ImportError:
    from models import PressAction, FloorObservation

from .environment import NightShiftEnvironment

app = create_app(NightShiftEnvironment, PressAction, FloorObservation, env_name="night_shift")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
