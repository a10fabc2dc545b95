"""What the tests of the checks share."""

import re

from causal_disent.testing import named_checks


def outcome(entry, name, **options):
    """How the check `name` of an entry goes."""
    return next(check for check in named_checks(entry.kind, entry, **options) if check.name == name).outcome()


def assert_rejected(entry, name, message):
    """The check `name` fails, for the reason that `message` matches."""
    found = outcome(entry, name)
    assert found.status == "failed"
    assert re.search(message, found.reason), found.reason


def cases(broken):
    """Check -> [(entry, message)] as parameters of a test."""
    return [(name, entry, message) for name, pairs in broken.items() for entry, message in pairs]
