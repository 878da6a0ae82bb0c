"""Missions: what one is, how one is drawn from a split and an index, and the proof that it is fair."""
