"""The checks of models that can be trained: ours pass, and each check finds what it is for."""

import numpy as np
import pytest
import torch

from causal_disent.registry import Entry, registry
from causal_disent.testing import CheckFailed, check_model, named_checks, parametrize_checks
from causal_disent.training.objective import Objective

pytestmark = pytest.mark.usefixtures("global_generators")


@parametrize_checks(
    "models", [entry for entry in registry.entries("models") if entry.owner == "causal_disent_torch"]
)
def test_ours(check):
    check()


class Good(Objective):
    """What a beta-VAE adds."""

    def penalties(self, passed):
        return {"kl_loss": passed.kl}


class Rising(Objective):
    """Grows with the steps."""

    def penalties(self, passed):
        return {"kl_loss": passed.kl + 100.0 * passed.step}


class Unseeded(Objective):
    """Draws from a generator that the seed does not reach."""

    source = np.random.RandomState(0)

    def penalties(self, passed):
        return {"kl_loss": passed.kl, "luck": self.source.normal(scale=100) * passed.mean.sum()}


class Forgetful(Objective):
    """Keeps something that no checkpoint holds."""

    def __init__(self):
        self.count = 0

    def penalties(self, passed):
        self.count += 1
        return {"kl_loss": passed.kl, "early": 100 * (self.count == 1) * passed.mean.sum()}


class Global(Objective):
    """Draws from numpy's global generator."""

    def penalties(self, passed):
        np.random.rand()  # noqa: NPY002
        return {"kl_loss": passed.kl}


def failing(objective, **facts):
    """The checks that an objective fails, with the reasons."""
    facts = {"backend": "torch", **facts}
    entry = Entry("models", "on_trial", "tests", objective, "for tests", facts)
    outcomes = [check.outcome() for check in named_checks("models", entry)]
    return {outcome.check: outcome.reason for outcome in outcomes if outcome.status == "failed"}


def test_a_good_one():
    assert failing(Good) == {}


@pytest.mark.parametrize(
    ("objective", "check", "reason"),
    [
        (Rising, "loss_falls_on_a_fixed_batch", "steps on one batch change its loss from"),
        (Unseeded, "same_seed_same_model", "trained again with the same seed"),
        (Forgetful, "goes_on_after_a_kill", "ends with other codes or images"),
    ],
)
def test_bad_ones(objective, check, reason):
    assert reason in failing(objective)[check]


def test_one_that_uses_the_global_generator():
    before = np.random.get_state()  # noqa: NPY002
    try:
        assert "numpy.random" in failing(Global)["global_generators_untouched"]
    finally:
        np.random.set_state(before)  # noqa: NPY002


class Nan(Objective):
    """Not a number."""

    def penalties(self, passed):
        return {"kl_loss": passed.kl * float("nan")}


def test_a_loss_that_is_not_finite():
    assert "it raised InvalidInput" in failing(Nan)["loss_falls_on_a_fixed_batch"]


def test_what_is_declared():
    found = failing(Good, config="models/none.gin", known_failures={"none": "reason"})
    assert "Unknown check 'none'" in found["declarations_hold_together"]
    assert "`config` is a shipped config" in failing(Good, config="models/none.gin")["declarations_hold_together"]
    with pytest.raises(CheckFailed, match="it has no summary"):
        check_model(Entry("models", "on_trial", "tests", Good, "", {"backend": "torch"}))


def test_one_with_settings_of_its_own():
    class Weighted(Objective):
        """Adds a term with a weight that has no default."""

        def __init__(self, weight):
            self.weight = weight

        def penalties(self, passed):
            return {"kl_loss": self.weight * passed.kl}

    entry = Entry("models", "weighted", "tests", Weighted, "for tests", {"backend": "torch"})
    assert len(check_model(entry, bindings=["weighted.weight = 2."])) == 7
    with pytest.raises(CheckFailed, match="weight"):
        check_model(entry)


def test_the_networks_of_a_model_read_back_are_compared(monkeypatch):
    from causal_disent_torch.backend import TorchBackend

    read = TorchBackend.read

    def damaged(self, *args, **options):
        model = read(self, *args, **options)
        with torch.no_grad():
            next(model.encoder.parameters()).mul_(2)
        return model

    monkeypatch.setattr(TorchBackend, "read", damaged)
    assert "saved and read again" in failing(Good)["saved_and_read_back_equal"]
