"""Degrees about the vertical."""

VALUE = 0
