"""The version, read by setup.cfg as well."""

__version__ = "0.2.0"
