"""Degrees about the vertical."""

VALUE = 15
