"""Sudoku for language models, as an OpenEnv environment."""

from .models import SudokuAction, SudokuObservation

__all__ = ["SudokuAction", "SudokuObservation"]
