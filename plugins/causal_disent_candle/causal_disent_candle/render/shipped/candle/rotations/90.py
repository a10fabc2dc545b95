"""Degrees about the vertical."""

VALUE = 90
