"""Upgrading a reward so that it pays for nothing no more."""
