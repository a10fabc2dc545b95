"""What a plugin may register. Each hook receives ``register(name, factory, summary=...)``."""

from __future__ import annotations

import pluggy

from causal_disent.registry import Register

__all__ = ["PROJECT", "hookimpl", "hookspec"]

PROJECT = "causal_disent"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def register_datasets(register: Register) -> None:
    """Data sets: ``factory(**options) -> GroundTruthData``."""


@hookspec
def register_models(register: Register) -> None:
    """Models: ``factory(data, **options) -> Representation``."""


@hookspec
def register_metrics(register: Register) -> None:
    """Metrics: ``metric(ground_truth_data, representation_function, random_state, artifact_dir=None) -> dict``."""


@hookspec
def register_attributions(register: Register) -> None:
    """Attributions: ``attribution(codes, factors, random_state) -> (codes, factors) scores``."""


@hookspec
def register_classifiers(register: Register) -> None:
    """Classifiers: ``factory(data, **options) -> FactorClassifier``."""


@hookspec
def register_engines(register: Register) -> None:
    """Engines: ``factory(**options) -> Engine``."""


@hookspec
def register_backends(register: Register) -> None:
    """What reads saved models: ``factory(trust=False) -> Backend``; tried in the order of their ``rank="20"``."""


@hookspec
def register_commands(register: Register) -> None:
    """Subcommands of ``causal-disent``: ``add(parser)`` gives it arguments and ``set_defaults(command=...)``."""
