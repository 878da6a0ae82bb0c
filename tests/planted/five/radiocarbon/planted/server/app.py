"""FastAPI app of the dating laboratory."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import RadiocarbonAction, RadiocarbonObservation
    from .environment import RadiocarbonEnvironment
except ImportError:
    from models import RadiocarbonAction, RadiocarbonObservation
    from server.environment import RadiocarbonEnvironment

app = create_app(
    RadiocarbonEnvironment,
    RadiocarbonAction,
    RadiocarbonObservation,
    env_name="radiocarbon",
)


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
