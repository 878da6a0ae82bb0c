"""Telegram environment."""
