"""The whole state of a run in one safetensors file, so that after a kill it goes on as if nothing had happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from causal_disent import errors
from causal_disent_torch.global_generators import get_states, set_states
from causal_disent_torch.tensor_files import TensorFile, check_shapes, open_tensors, write_tensors
from causal_disent_torch.training.trainer import Trainer

__all__ = ["differences", "read_settings", "restore", "save"]

#: Bindings that may change between two parts of a run.
FREE = ("model.training_steps", "model.eval_steps", "model.name", "model.model_num")
KEY, TORCH = "generator.numpy", "generator.torch"
#: Before the kind of device whose global generator it is.
GLOBAL = "generator.global."


def save(path: Path, trainer: Trainer, settings: Mapping[str, str], elapsed: float) -> None:
    """Write the state of `trainer`.

    Args:
        path: the file, which is replaced in one go.
        trainer: between two steps.
        settings: the bindings of the run, to recognise it by.
        elapsed: seconds so far.
    """
    trainer.check_weights()
    drawn: Any = trainer.batches.random_state.get_state(legacy=False)
    tensors = {f"networks.{name}": tensor for name, tensor in trainer.networks.state_dict().items()}
    for owner, optimizer in trainer.optimizers.items():
        for index, slots in optimizer.state_dict()["state"].items():
            tensors.update({f"optimizer.{owner}.{index}.{slot}": value for slot, value in slots.items()})
    tensors[KEY] = torch.from_numpy(drawn["state"]["key"].astype("int64"))
    tensors[TORCH] = trainer.generator.get_state()
    tensors.update({f"{GLOBAL}{kind}": state for kind, state in get_states(trainer.device).items()})
    run = {
        "step": trainer.num_steps,
        "elapsed": elapsed,
        "position": int(drawn["state"]["pos"]),
        "has_gauss": int(drawn["has_gauss"]),
        "gauss": float(drawn["gauss"]),
        "settings": dict(settings),
        "tensors": sorted(tensors),
    }
    write_tensors(path, tensors, {"run": json.dumps(run)})


def read_settings(path: Path) -> dict[str, str]:
    """The bindings of the run that wrote a checkpoint."""
    with open_tensors(path) as file:
        return _run(file)["settings"]


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What two runs do not share: ``vae.beta: 4 before, 8 now``."""
    names = sorted((set(before) | set(now)) - set(FREE))
    return [
        f"{name}: {before.get(name, 'not bound')} before, {now.get(name, 'not bound')} now"
        for name in names
        if before.get(name) != now.get(name)
    ]


def restore(path: Path, trainer: Trainer) -> float:
    """Put `trainer` into the state of the checkpoint; the seconds that were spent before."""
    with open_tensors(path) as file:
        run = _run(file)
        check_shapes(file, _shapes(trainer, file), "this run")
        tensors = {name: file.read(name) for name in file.shapes}
    try:
        trainer.networks.load_state_dict(_part(tensors, "networks."))
        for owner, optimizer in trainer.optimizers.items():
            _restore_optimizer(optimizer, _part(tensors, f"optimizer.{owner}."))
        key = tensors[KEY].numpy().astype("uint32")
        trainer.batches.random_state.set_state(("MT19937", key, run["position"], run["has_gauss"], run["gauss"]))
        trainer.generator.set_state(tensors[TORCH])
        set_states(_part(tensors, GLOBAL), trainer.device)
    except (RuntimeError, TypeError, ValueError) as error:
        raise errors.InvalidInput(f"The checkpoint {path} cannot be used: {error}.") from None
    trainer.num_steps = run["step"]
    return run["elapsed"]


def _part(tensors: Mapping[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, torch.Tensor]) -> None:
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in tensors.items():
        index, _, slot = name.partition(".")
        state.setdefault(int(index), {})[slot] = tensor
    needed = _slots(optimizer)
    for index_of_weight, slots in state.items():
        if set(slots) != needed:
            raise ValueError(
                f"of weight {index_of_weight} an optimizer has {errors.listing(sorted(slots))}, and "
                f"{errors.listing(sorted(needed))} are needed"
            )
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def _slots(optimizer: torch.optim.Optimizer) -> set[str]:
    """What an optimizer of this kind keeps for a weight, found by a step of another one."""
    weight = torch.zeros(1, requires_grad=True)
    weight.grad = torch.zeros(1)
    probe = type(optimizer)([weight], **optimizer.defaults)
    probe.step()
    return set(probe.state[weight])


def _shapes(trainer: Trainer, file: TensorFile) -> dict[str, tuple[int, ...]]:
    """What a checkpoint of `trainer` holds; an optimizer keeps what it likes in the shape of its weight."""
    shapes = {f"networks.{name}": tuple(value.shape) for name, value in trainer.networks.state_dict().items()}
    for owner, optimizer in trainer.optimizers.items():
        for index, weight in enumerate(optimizer.param_groups[0]["params"]):
            prefix = f"optimizer.{owner}.{index}."
            kept = [name for name in file.shapes if name.startswith(prefix)]
            shapes.update({name: tuple(weight.shape) if file.shapes[name] else () for name in kept})
    # Of the device on which the run went on before, which may be another.
    shapes.update({name: shape for name, shape in file.shapes.items() if name.startswith(GLOBAL)})
    state = tuple(trainer.generator.get_state().shape)
    return {**shapes, KEY: (624,), TORCH: state, f"{GLOBAL}cpu": state}


def _run(file: TensorFile) -> dict[str, Any]:
    """What the checkpoint says of its run, checked."""
    types = {"step": int, "elapsed": float, "position": int, "has_gauss": int, "gauss": float}
    try:
        run = json.loads(file.metadata.get("run", ""))
        # numpy does not check where in its 624 numbers a state says that it is.
        valid = all(type(run[name]) is kind for name, kind in types.items()) and 0 <= run["position"] <= 624
        valid = valid and run["step"] >= 0 and run["tensors"] == sorted(file.shapes)
        settings = run["settings"]
        valid = valid and all(isinstance(text, str) for pair in settings.items() for text in pair)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        valid = False
    if not valid:
        raise errors.InvalidInput(f"{file.path} is not a checkpoint of this program.")
    return run
