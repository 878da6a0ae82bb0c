"""``python -m gonogo`` is the command line."""

from gonogo.cli import main

main()
