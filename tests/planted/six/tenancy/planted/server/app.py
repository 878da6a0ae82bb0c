"""FastAPI app of the tenancy environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import TenancyAction, TenancyObservation
    from .environment import TenancyEnvironment
except ImportError:
    from models import TenancyAction, TenancyObservation
    from server.environment import TenancyEnvironment

app = create_app(TenancyEnvironment, TenancyAction, TenancyObservation, env_name="tenancy")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
