"""The report station: a run's records as one page that needs no network."""
