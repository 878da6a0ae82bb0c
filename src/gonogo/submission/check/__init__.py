"""The check station: every box of the submission list, with its evidence."""
