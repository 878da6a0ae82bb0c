"""What this environment offers to whoever validates it: reference policies and a runtime probe."""
