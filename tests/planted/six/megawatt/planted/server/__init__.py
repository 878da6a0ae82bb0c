"""Server side of megawatt."""
