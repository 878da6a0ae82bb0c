"""The record station: episodes of any policy as JSON lines, and their replay."""
