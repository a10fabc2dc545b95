"""Degrees about the vertical."""

VALUE = 45
