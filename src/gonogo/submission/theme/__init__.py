"""Which hackathon theme an environment serves, and the problem statement that goes with it."""
