"""One step of training, and the state that a checkpoint holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from causal_disent import errors
from causal_disent.training.batches import Batches, LabelledImages
from causal_disent.training.loop import Diverged
from causal_disent.training.objective import (
    Batch,
    Given,
    Objective,
    OwnLoss,
    Pass,
    ReconstructionLoss,
    forward,
    terms_of,
)
from causal_disent_torch import losses
from causal_disent_torch.global_generators import get_states, set_states
from causal_disent_torch.losses import discriminator_loss, shuffle_codes
from causal_disent_torch.tensors import FRAMEWORK, packed
from causal_disent_torch.train.precision import in_bfloat16
from causal_disent_torch.train.side_by_side import side_by_side

#: The generator of the noise in a checkpoint, and what stands before the kind of device of a global one.
TORCH, GLOBAL = "generator.torch", "generator.global."
#: Steps between two looks at the terms of the loss where these have to be waited for.
LOOK_EVERY = 50


class Trainer:
    """Networks, optimizers and generators of one run.

    Args:
        networks: ``encoder`` and ``decoder``; ``discriminator`` and ``supervision`` where the objective needs
            them.
        objective: what is minimised beside the reconstruction loss.
        reconstruction: the reconstruction loss.
        optimizers: ``vae``, and ``discriminator`` where there is one.
        batches: the images to train on.
        generator: of the noise, on the CPU, so that a run is the same on every device.
        device: where the networks are.
        labelled: the labelled images, where the objective needs them.
        bfloat16: the networks compute in it while they learn; otherwise in float32, as when they are evaluated.
    """

    framework = FRAMEWORK

    def __init__(
        self,
        networks: nn.ModuleDict,
        objective: Objective,
        reconstruction: ReconstructionLoss,
        optimizers: dict[str, torch.optim.Optimizer],
        batches: Batches,
        generator: torch.Generator,
        device: torch.device,
        labelled: LabelledImages | None = None,
        bfloat16: bool = False,
    ) -> None:
        self.networks, self.objective, self.reconstruction = networks, objective, reconstruction
        self.optimizers, self.batches, self.generator = optimizers, batches, generator
        self.device, self.labelled = device, labelled
        self.num_steps = 0
        #: What a step leads its batch through.
        self.bfloat16 = bfloat16
        self.learning: Any = self.led()
        # A device works by itself until it is asked for a number; the processor has the numbers at once.
        self.look_every = 1 if device.type == "cpu" else LOOK_EVERY
        self._unseen: dict[int, dict[str, Tensor]] = {}

    def led(self, through: Callable[[nn.Module], Any] | None = None) -> dict[str, Any]:
        """The networks as a step calls them: as `through` gives them, or in parts where that is faster.

        What labels are compared by stays as it is.
        """
        learning: dict[str, Any] = {}
        for name, network in self.networks.items():
            called = network if through is None or name == "supervision" else through(network)
            if self.bfloat16 and name != "supervision":
                called = in_bfloat16(called, self.device)
            if through is None and self.device.type == "cpu" and getattr(network, "in_parts", False):
                called = side_by_side(network, called)
            learning[name] = called
        return learning

    def step(self) -> dict[str, Tensor]:
        """Draw a batch and follow the gradient once; the terms of the loss."""
        if isinstance(self.objective, OwnLoss):
            passed = None
            terms, loss = self._own_terms(self.objective, self.batches, self.generator, self.num_steps)
        else:
            passed = self._pass(self.learning, self.batches, self.labelled, self.generator, self.num_steps)
            terms = terms_of(self.objective, self.reconstruction, passed)
            loss = terms["loss"]
        for optimizer in self.optimizers.values():
            optimizer.zero_grad()
        if passed is not None and self.objective.discriminates:
            judged = self._discriminator_loss(passed)
            terms["discriminator_loss"] = judged
            self._look(terms)
            # Each loss has weights of its own; both use the same pass of the discriminator.
            loss.backward(inputs=_weights(self.optimizers["vae"]), retain_graph=True)
            judged.backward(inputs=_weights(self.optimizers["discriminator"]))
        else:
            self._look(terms)
            loss.backward()
        for optimizer in self.optimizers.values():
            optimizer.step()
        self.num_steps += 1
        return {name: term.detach() for name, term in terms.items()}

    def _look(self, terms: dict[str, Tensor]) -> None:
        """Raise if a term of the last steps is not finite; only every so often, as it waits for the device."""
        self._unseen[self.num_steps] = {name: term.detach() for name, term in terms.items()}
        if len(self._unseen) >= self.look_every:
            self._check()

    def evaluations(
        self, batches: Batches, labelled: LabelledImages | None, seed: int
    ) -> Iterator[dict[str, float]]:
        """The terms for each of `batches`, with noise of that seed and the networks in evaluation mode."""
        self.networks.eval()
        generator = torch.Generator().manual_seed(seed)
        for step in count():
            with torch.inference_mode():
                if isinstance(self.objective, OwnLoss):
                    terms, _ = self._own_terms(self.objective, batches, generator, step)
                else:
                    passed = self._pass(self.networks, batches, labelled, generator, step)
                    terms = terms_of(self.objective, self.reconstruction, passed)
                found = {name: float(term) for name, term in terms.items()}
            yield found

    def _own_terms(
        self, objective: OwnLoss, batches: Batches, generator: torch.Generator, number: int
    ) -> tuple[dict[str, Tensor], Tensor]:
        """The terms as the objective names them, and their sum; `number` says which batch it is."""
        pixels, indices = batches.draw_known(number, in_order=objective.in_order)
        batch = Batch(
            step=self.num_steps,
            images=self._tensor(pixels),
            indices=indices,
            reconstruction=self.reconstruction,
            draw=lambda shape: torch.randn(tuple(shape), generator=generator).to(self.device),
        )
        terms: dict[str, Tensor] = objective.losses(self.networks, batch)
        loss = torch.stack(list(terms.values())).sum()
        return {**terms, "loss": loss}, loss

    def _pass(
        self,
        networks: Any,
        batches: Batches,
        labelled: LabelledImages | None,
        generator: torch.Generator,
        number: int,
    ) -> Pass:
        """The batch of that number through the networks, in the state of the steps that were made."""
        pixels, boxes = batches.draw()
        num_latent: Any = self.networks["encoder"].num_latent
        noise = torch.randn((len(pixels), num_latent), generator=generator).to(self.device)
        pair = None
        if self.objective.factor_sizes is not None and labelled is not None:
            labelled_pixels, labels = labelled.batch(number, batches.batch_size)
            pair = self._tensor(labelled_pixels), self._tensor(labels)
        given = Given(
            images=self._tensor(pixels),
            noise=noise,
            step=self.num_steps,
            weights=self.objective.weights(self.num_steps),
            boxes=None if boxes is None else self._tensor(boxes),
            labelled=pair,
        )
        return forward(networks, self.objective, self.reconstruction, losses, given)

    def _discriminator_loss(self, passed: Pass) -> Tensor:
        assert passed.logits is not None
        shuffled = shuffle_codes(passed.codes.detach(), self.generator)
        return discriminator_loss(passed.logits, self.learning["discriminator"](shuffled))

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.require(array, requirements=["C", "W"])).to(self.device)

    def _check(self) -> None:
        """Raise if a term that was not looked at is not finite; the loss itself tells, so that most look once."""
        unseen, self._unseen = self._unseen, {}
        watched = [
            terms[name] for terms in unseen.values() for name in ("loss", "discriminator_loss") if name in terms
        ]
        if not watched or torch.stack(watched).isfinite().all():
            return
        for step, terms in unseen.items():
            for name, term in terms.items():
                if not term.isfinite():
                    raise Diverged(f"at step {step} the term '{name}' is {term.item()}")

    def check_weights(self) -> None:
        """Raise if a term or a weight is not finite, so that no checkpoint holds one."""
        self._check()
        for name, tensor in self.networks.state_dict().items():
            if tensor.is_floating_point() and not tensor.isfinite().all():
                raise Diverged(f"after step {self.num_steps - 1} the weights '{name}' are not finite")

    def state(self) -> dict[str, Tensor]:
        """Weights, what the optimizers keep for each, and the generators."""
        tensors = {f"networks.{name}": tensor for name, tensor in self.networks.state_dict().items()}
        for owner, optimizer in self.optimizers.items():
            for index, slots in optimizer.state_dict()["state"].items():
                tensors.update({f"optimizer.{owner}.{index}.{slot}": value for slot, value in slots.items()})
        tensors[TORCH] = self.generator.get_state()
        tensors.update({f"{GLOBAL}{kind}": state for kind, state in get_states(self.device).items()})
        return tensors

    def packed(
        self, state: Mapping[str, Tensor], arrays: Mapping[str, np.ndarray], metadata: dict[str, str]
    ) -> bytes:
        """A safetensors file with these tensors and arrays."""
        return packed({**state, **{name: torch.from_numpy(array) for name, array in arrays.items()}}, metadata)

    def shapes(self, found: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """What a state holds; an optimizer keeps what it likes in the shape of its weight."""
        shapes = {f"networks.{name}": tuple(value.shape) for name, value in self.networks.state_dict().items()}
        for owner, optimizer in self.optimizers.items():
            for index, weight in enumerate(_weights(optimizer)):
                kept = [name for name in found if name.startswith(f"optimizer.{owner}.{index}.")]
                shapes.update({name: tuple(weight.shape) if found[name] else () for name in kept})
        # Of the device on which the run went on before, which may be another.
        shapes.update({name: shape for name, shape in found.items() if name.startswith(GLOBAL)})
        state = tuple(self.generator.get_state().shape)
        return {**shapes, TORCH: state, f"{GLOBAL}cpu": state}

    def restore(self, state: Mapping[str, Tensor], num_steps: int) -> None:
        """Go on from a state."""
        self.networks.load_state_dict(_part(state, "networks."))
        for owner, optimizer in self.optimizers.items():
            _restore_optimizer(optimizer, _part(state, f"optimizer.{owner}."))
        self.generator.set_state(state[TORCH])
        set_states(_part(state, GLOBAL), self.device)
        self.num_steps = num_steps


def _weights(optimizer: torch.optim.Optimizer) -> list[Any]:
    return optimizer.param_groups[0]["params"]


def _part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
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
