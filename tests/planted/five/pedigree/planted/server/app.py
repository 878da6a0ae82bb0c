"""HTTP entry point."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import PedigreeAction, PedigreeObservation
    from .environment import PedigreeEnvironment
except ImportError:
    from models import PedigreeAction, PedigreeObservation
    from server.environment import PedigreeEnvironment

app = create_app(
    PedigreeEnvironment, PedigreeAction, PedigreeObservation, env_name="pedigree"
)


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
