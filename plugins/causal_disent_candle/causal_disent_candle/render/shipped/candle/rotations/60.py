"""Degrees about the vertical."""

VALUE = 60
