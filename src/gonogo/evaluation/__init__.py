"""The evaluate station: paired episodes on held-out tasks, with intervals and plots."""
