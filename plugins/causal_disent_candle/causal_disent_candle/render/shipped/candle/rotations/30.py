"""Degrees about the vertical."""

VALUE = 30
