"""FastAPI application for the notice board environment.

Run with:
    uvicorn server.app:app --host 0.0.0.0 --port 8000
"""

from openenv.core.env_server import create_app

try:
    from ..models import RecordAction, NoticeObservation
except ImportError:
    from models import RecordAction, NoticeObservation

from .environment import NoticeBoardEnvironment

app = create_app(NoticeBoardEnvironment, RecordAction, NoticeObservation, env_name="notice_board")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
