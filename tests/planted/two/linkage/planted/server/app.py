from openenv.core.env_server import create_app

try:
    from ..models import LinkAction, LinkObservation
    from .environment import RecordLinkageEnvironment
except ImportError:
    from models import LinkAction, LinkObservation
    from server.environment import RecordLinkageEnvironment

app = create_app(RecordLinkageEnvironment, LinkAction, LinkObservation, env_name="record_linkage")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
