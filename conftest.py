"""What the tests of the core and of all plugins share: none asserts a time, since a machine may be busy."""

from contextlib import suppress

with suppress(ImportError):  # an environment for one framework alone may be without it
    from hypothesis import HealthCheck, settings

    settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("any machine")
