from openenv.core.env_server import create_app

try:
    from ..models import ExamAction, ExamObservation
    from .environment import ExamBoardEnvironment
except ImportError:
    from models import ExamAction, ExamObservation
    from server.environment import ExamBoardEnvironment

app = create_app(ExamBoardEnvironment, ExamAction, ExamObservation, env_name="exam_board")


def main() -> None:
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
