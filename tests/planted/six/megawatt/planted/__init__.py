"""Load forecasting for a small municipal utility."""
