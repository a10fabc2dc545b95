"""What a plugin may register. Each hook receives ``register(name, target, summary=..., **facts)``.

A target is the thing itself, or ``"module:attribute"``, which is imported when it is first used.
"""

from __future__ import annotations

import pluggy

from causal_disent.registry import Register

PROJECT = "causal_disent"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def register_datasets(register: Register) -> None:
    """Data sets: ``target(**options) -> GroundTruthData``."""


@hookspec
def register_models(register: Register) -> None:
    """What can be trained: ``target(**options)`` makes the objective; ``backend="torch"`` says what trains it."""


@hookspec
def register_representations(register: Register) -> None:
    """What can be measured without training: ``target(data, **options) -> Representation``."""


@hookspec
def register_metrics(register: Register) -> None:
    """Metrics: what ``@metric(...)`` declares, or a function with disentanglement_lib's signature."""


@hookspec
def register_attributions(register: Register) -> None:
    """Attributions: ``attribution(codes, factors, random_state) -> (codes, factors) scores``."""


@hookspec
def register_classifiers(register: Register) -> None:
    """Classifiers: ``target(data, **options) -> FactorClassifier``."""


@hookspec
def register_parts(register: Register) -> None:
    """Whatever else configs bind: with ``role="encoder"``, say, for training, or ``supplied`` arguments stated."""


@hookspec
def register_engines(register: Register) -> None:
    """Engines: ``target(**options) -> Engine``."""


@hookspec
def register_backends(register: Register) -> None:
    """What reads models, or trains them (``trains=True``): ``target(trust, device) -> Backend``, by ``rank``."""


@hookspec
def register_trackers(register: Register) -> None:
    """What follows a training: ``target(folder, first_step, **options) -> Tracker``; ``always=True`` unasked."""


@hookspec
def register_commands(register: Register) -> None:
    """Subcommands of ``causal-disent``: ``add(parser)`` sets ``command``; ``under="a"`` makes ``a_b`` ``a b``."""
