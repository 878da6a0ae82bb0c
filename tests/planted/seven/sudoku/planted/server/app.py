from openenv.core.env_server.http_server import create_app

try:
    from ..models import SudokuAction, SudokuObservation
    from .environment import SudokuEnvironment
except ImportError:
    from models import SudokuAction, SudokuObservation
    from server.environment import SudokuEnvironment

app = create_app(SudokuEnvironment, SudokuAction, SudokuObservation, env_name="sudoku")


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    import uvicorn

    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
