"""Adapters for other people's training loops; each module needs the package that it is called after."""
