"""FastAPI application for the claim desk environment.

Run with:
    uvicorn server.app:app --host 0.0.0.0 --port 8000
"""

from openenv.core.env_server import create_app

try:
    from ..models import ClaimAction, ClaimObservation
except ImportError:
    from models import ClaimAction, ClaimObservation

from .environment import ClaimDeskEnvironment

app = create_app(ClaimDeskEnvironment, ClaimAction, ClaimObservation, env_name="claim_desk")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
