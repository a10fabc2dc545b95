"""What the modules share: parts of causal_disent by name, and what is refused of TensorFlow 1."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn

import gin

from causal_disent import config, errors
from causal_disent.registry import registry
from causal_disent.runs.representation import training_backend

Function = Callable[..., Any]


class NeedsTensorFlow1(errors.CausalDisentError, NotImplementedError):
    """Something works on a graph and a session of TensorFlow 1, which no current TensorFlow trains."""


def refuse(what: str, instead: str) -> NoReturn:
    """Raise `NeedsTensorFlow1` with what to do instead."""
    raise NeedsTensorFlow1(f"{what} builds a graph of TensorFlow 1, which is not available. {instead}")


def metric(name: str) -> Function:
    """The metric of causal_disent of that name, with gin's bindings."""
    return registry.function("metrics", name)


def part(name: str) -> Function:
    """Anything else that configs bind, with gin's bindings."""
    return registry.function("parts", name)


def bound(parameter: str, value: Any) -> Any:
    """`value`, or what gin binds for `parameter` if it was left out."""
    if value is not gin.REQUIRED:
        return value
    if not config.is_bound(parameter):
        raise errors.ConfigError(f"The config must bind {parameter}. Add a line such as `{parameter} = ...`.")
    return config.query(parameter)


def bind(owner: str, values: Mapping[str, Any]) -> None:
    """Bind what a program passes to a function whose settings come from gin."""
    for name, value in values.items():
        if value is not gin.REQUIRED:
            config.rebind(f"{owner}.{name}", value)


def backend() -> str | None:
    """TensorFlow if the program has imported it and it can train, else the first backend (None)."""
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is None or "tf" not in registry.names("backends"):
        return None
    if tensorflow.executing_eagerly():
        return "tf"
    if training_backend().name == "tf":
        raise NeedsTensorFlow1(
            "The program has turned TensorFlow's eager execution off, without which nothing is trained here. "
            "Remove tf.disable_v2_behavior() or tf.disable_eager_execution(), or install causal-disent-torch."
        )
    return None


@contextmanager
def gin_run(files: Sequence[Any] | None, bindings: Sequence[str] | str | None) -> Iterator[None]:
    """Parse a config over what the program has bound, and clear all of it at the end."""
    lines = bindings.splitlines() if isinstance(bindings, str) else bindings
    with config.gin_config([files] if isinstance(files, str) else files, lines, fresh=False):
        yield


def tensor_functions(tensor: Any) -> Any:
    """The losses of the framework that `tensor` is of, as `causal_disent.training.forward` lists them."""
    own = type(tensor).__module__.partition(".")[0]
    return import_module("causal_disent_torch.losses" if own == "torch" else "causal_disent_tf.losses")
