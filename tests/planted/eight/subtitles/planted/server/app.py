from openenv.core.env_server.http_server import create_app

try:
    from ..models import SubtitlesAction, SubtitlesObservation
    from .environment import SubtitlesEnvironment
except ImportError:
    from models import SubtitlesAction, SubtitlesObservation
    from server.environment import SubtitlesEnvironment

app = create_app(
    SubtitlesEnvironment, SubtitlesAction, SubtitlesObservation, env_name="subtitles"
)


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
