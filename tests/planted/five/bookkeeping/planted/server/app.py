"""FastAPI app of the bookkeeping environment."""

from openenv.core.env_server.http_server import create_app

try:
    from ..models import BookkeepingAction, BookkeepingObservation
    from .environment import BookkeepingEnvironment
except ImportError:
    from models import BookkeepingAction, BookkeepingObservation
    from server.environment import BookkeepingEnvironment

app = create_app(
    BookkeepingEnvironment,
    BookkeepingAction,
    BookkeepingObservation,
    env_name="bookkeeping",
)


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
