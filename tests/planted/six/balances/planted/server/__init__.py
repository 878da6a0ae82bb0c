"""Balance calibration environment."""
