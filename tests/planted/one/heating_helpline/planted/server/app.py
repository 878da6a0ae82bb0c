"""FastAPI application for the heating helpline environment.

Run with:
    uvicorn server.app:app --host 0.0.0.0 --port 8000
"""

from openenv.core.env_server import create_app

try:
    from ..models import HelplineAction, HelplineObservation
except ImportError:
    from models import HelplineAction, HelplineObservation

from .environment import HelplineEnvironment

app = create_app(HelplineEnvironment, HelplineAction, HelplineObservation, env_name="heating_helpline")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
