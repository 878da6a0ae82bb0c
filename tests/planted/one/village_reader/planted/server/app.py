"""FastAPI application for the village reader environment.

Run with:
    uvicorn server.app:app --host 0.0.0.0 --port 8000
"""

from openenv.core.env_server import create_app

try:
    from ..models import AnswerAction, ReadingObservation
except ImportError:
    from models import AnswerAction, ReadingObservation

from .environment import VillageReaderEnvironment

app = create_app(VillageReaderEnvironment, AnswerAction, ReadingObservation, env_name="village_reader")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
