"""Server side of the dispensary counter."""
