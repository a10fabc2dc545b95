"""Training with torch: the trainer that a config binds, one step after the other, and a checkpoint's state."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from causal_disent import errors
from causal_disent.checks import checked
from causal_disent.text import say
from causal_disent.training.batches import Batches, LabelledImages
from causal_disent.training.loop import Diverged
from causal_disent.training.networks import Framework, check_outputs
from causal_disent.training.objective import (
    BaseTrainer,
    Batch,
    Decay,
    Epsilon,
    Given,
    OwnLoss,
    Pass,
    Rate,
    discriminator_optimizer,
    forward,
    reconstruction_loss,
    terms_of,
    vae_optimizer,
)
from causal_disent.training.plan import Plan, make_networks, vae_networks
from causal_disent_torch import losses
from causal_disent_torch.devices import get_states, keep_generators, set_states
from causal_disent_torch.losses import discriminator_loss, shuffle_codes
from causal_disent_torch.representation import FRAMEWORK, TENSORS, in_evaluation, packed

#: Where torch has an Adam that does its step in one go.
FUSED = ("cpu", "cuda")


@checked
def adam(
    parameters: Sequence[torch.nn.Parameter],
    learning_rate: Rate = 0.001,
    beta1: Decay = 0.9,
    beta2: Decay = 0.999,
    epsilon: Epsilon = 1e-8,
    use_locking: bool = False,
    name: str = "Adam",
) -> torch.optim.Optimizer:
    """Adam with TensorFlow's names and defaults; `use_locking` and `name` are taken and change nothing."""
    fused = all(parameter.device.type in FUSED for parameter in parameters)
    return torch.optim.Adam(parameters, lr=learning_rate, betas=(beta1, beta2), eps=epsilon, fused=fused)


#: What torch calls processors that compute in bfloat16; others would take longer than in float32.
CAPABILITIES = ("amx_bf16", "avx512_bf16", "bf16", "sve_bf16")


def check_bfloat16(device: torch.device) -> None:
    """Raise unless `device` computes in bfloat16."""
    if device.type == "cuda":
        able = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        found = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
        able = device.type == "cpu" and any(found.get(name) for name in CAPABILITIES)
    if not able:
        raise errors.InvalidInput(
            f"model.precision is 'bfloat16', which the device '{device}' of this machine does not compute in. "
            "Leave it out, or choose another --device."
        )


def in_bfloat16(network: Callable[..., Any], device: torch.device) -> Callable[..., Any]:
    """`network`, computing in bfloat16 and giving float32."""

    def called(*given: Tensor) -> Any:
        # Nothing is kept: weights are read once, and what is kept would belong to all threads.
        with torch.autocast(device.type, torch.bfloat16, cache_enabled=False):
            output = network(*given)
        return output.float() if isinstance(output, Tensor) else tuple(part.float() for part in output)

    return called


#: Fewer images than this are not worth a thread.
LEAST_IMAGES = 16


def side_by_side(network: nn.Module, called: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    """What gives for a batch what `called` gives, up to rounding in the gradients, with a thread for each part.

    The threads of OpenMP meet after each layer, and some of oneDNN's spin until the last has come: beside another
    program, which has the core that it waits for, a step in bfloat16 takes ten times as long. These meet where the
    network ends.

    Args:
        network: each of its images goes through it by itself, and its weights are what is learned.
        called: the network, or what leads images through it; a tensor or a tuple of them, with a row per image.
    """
    weights = [weight for weight in network.parameters() if weight.requires_grad]

    def led(images: Tensor) -> Any:
        parts = min(torch.get_num_threads(), len(images) // LEAST_IMAGES)
        if parts < 2:
            return called(images)
        outputs = _Parts.apply(called, parts, images, *weights)
        return outputs[0] if len(outputs) == 1 else outputs

    return led


class _Parts(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, called: Callable[[Tensor], Any], parts: int, images: Tensor, *weights: Tensor) -> Any:
        def lead(part: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
            given = part.detach().requires_grad_(ctx.needs_input_grad[2])
            with torch.enable_grad():
                output = called(given)
            return given, output if isinstance(output, tuple) else (output,)

        ctx.weights = weights
        ctx.led = _in_threads(lead, [(part,) for part in images.tensor_split(parts)])
        outputs = zip(*(output for _, output in ctx.led), strict=True)
        return tuple(torch.cat([part.detach() for part in whole]) for whole in outputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        def follow(given: Tensor, outputs: tuple[Tensor, ...], *parts: Tensor) -> tuple[Tensor, ...]:
            learned = [given, *ctx.weights] if given.requires_grad else ctx.weights
            return torch.autograd.grad(outputs, learned, parts)

        split = zip(*(gradient.tensor_split(len(ctx.led)) for gradient in gradients), strict=True)
        found = _in_threads(follow, [(*part, *own) for part, own in zip(ctx.led, split, strict=True)])
        images, of_weights = None, found
        if ctx.needs_input_grad[2]:
            images, of_weights = torch.cat([part[0] for part in found]), [part[1:] for part in found]
        return None, None, images, *(sum(parts[1:], parts[0]) for parts in zip(*of_weights, strict=True))


def _in_threads(work: Callable[..., Any], parts: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return what `work` gives for each part; the threads that may be used are shared out."""
    threads = torch.get_num_threads()

    def one(*given: Any) -> Any:
        torch.set_num_threads(threads // len(parts))  # a matter of each thread
        return work(*given)

    try:
        others = [_pool(len(parts) - 1).submit(one, *given) for given in parts[1:]]
        return [one(*parts[0]), *(other.result() for other in others)]
    finally:
        torch.set_num_threads(threads)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    # Denormals are a matter of each thread.
    return ThreadPoolExecutor(threads, "part", initializer=torch.set_flush_denormal, initargs=(True,))


def tensorboard(folder: Path, first_step: int = 0) -> Any:
    """Return the tracker ``tensorboard``: what writes curves into `folder`, from this step on."""
    from torch.utils.tensorboard import SummaryWriter  # needs tensorboard, which need not be there

    return SummaryWriter(str(folder), purge_step=first_step)


#: The generator of the noise in a checkpoint, and what stands before the kind of device of a global one.
NOISE, GLOBAL = "generator.torch", "generator.global."
#: Steps between two looks at the terms of the loss where these have to be waited for.
LOOK_EVERY = 50


class Trainer(BaseTrainer):
    """Makes the steps with torch.

    Args:
        given: as for `BaseTrainer`.
        generator: of the noise, on the CPU, so that a run is the same on every device.
        device: where the networks are.
        bfloat16: the networks compute in it while they learn; otherwise in float32, as when they are evaluated.
    """

    framework = FRAMEWORK
    networks: nn.ModuleDict
    optimizers: dict[str, torch.optim.Optimizer]

    def __init__(
        self, *given: Any, generator: torch.Generator, device: torch.device, bfloat16: bool = False
    ) -> None:
        super().__init__(*given)
        self.generator, self.device = generator, device
        #: What a step leads its batch through.
        self.bfloat16 = bfloat16
        self.learning: Any = self.led()
        # A device works by itself until it is asked for a number; the processor has the numbers at once.
        self.look_every = 1 if device.type == "cpu" else LOOK_EVERY
        self._unseen: dict[int, dict[str, Tensor]] = {}

    def led(self, through: Callable[[nn.Module], Any] | None = None) -> dict[str, Any]:
        """Return the networks as a step calls them: as `through` gives them, or in parts where that is faster.

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
        """Yield the terms for each of `batches`, with noise of that seed and the networks in evaluation mode."""
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
        """Return the terms as the objective names them, and their sum; `number` says which batch it is."""
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
        """Return the batch of that number through the networks, in the state of the steps that were made."""
        inputs = self.draw_inputs(batches, labelled, number, self._tensor)
        shape: Any = (len(inputs["images"]), self.networks["encoder"].num_latent)
        noise = torch.randn(shape, generator=generator).to(self.device)
        given = Given(noise=noise, step=self.num_steps, **inputs)
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
        tensors[NOISE] = self.generator.get_state()
        tensors.update({f"{GLOBAL}{kind}": state for kind, state in get_states(self.device).items()})
        return tensors

    def packed(
        self, state: Mapping[str, Tensor], arrays: Mapping[str, np.ndarray], metadata: dict[str, str]
    ) -> bytes:
        """Return a safetensors file with these tensors and arrays."""
        return packed({**state, **{name: torch.from_numpy(array) for name, array in arrays.items()}}, metadata)

    def shapes(self, found: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """Return what a state holds; an optimizer keeps what it likes in the shape of its weight."""
        shapes = {f"networks.{name}": tuple(value.shape) for name, value in self.networks.state_dict().items()}
        for owner, optimizer in self.optimizers.items():
            for index, weight in enumerate(_weights(optimizer)):
                kept = [name for name in found if name.startswith(f"optimizer.{owner}.{index}.")]
                shapes.update({name: tuple(weight.shape) if found[name] else () for name in kept})
        # Of the device on which the run went on before, which may be another.
        shapes.update({name: shape for name, shape in found.items() if name.startswith(GLOBAL)})
        state = tuple(self.generator.get_state().shape)
        return {**shapes, NOISE: state, f"{GLOBAL}cpu": state}

    def restore(self, state: Mapping[str, Tensor], num_steps: int) -> None:
        """Go on from a state."""
        self.networks.load_state_dict(_part(state, "networks."))
        for owner, optimizer in self.optimizers.items():
            _restore_optimizer(optimizer, _part(state, f"optimizer.{owner}."))
        self.generator.set_state(state[NOISE])
        set_states(_part(state, GLOBAL), self.device)
        self.num_steps = num_steps


def _weights(optimizer: torch.optim.Optimizer) -> list[Any]:
    return optimizer.param_groups[0]["params"]


def _part(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Put an optimizer into a checkpoint's state."""
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
    """Return what an optimizer of this kind keeps for a weight, found by a step of another one."""
    weight = torch.zeros(1, requires_grad=True)
    weight.grad = torch.zeros(1)
    probe = type(optimizer)([weight], **optimizer.defaults)
    probe.step()
    return set(probe.state[weight])


#: What translates; a test takes one that needs no compiler.
BACKEND = "inductor"
#: Steps whose fastest is compared, of either kind.
COMPARED = 10


class CompiledTrainer(Trainer):
    """Makes some plain steps, then compiled ones, says when compiling has paid for itself, and keeps the faster.

    All of them count: what is compared is trained.
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._plain = self.learning
        self._seconds: list[float] = []

    def step(self) -> dict[str, Tensor]:
        """As a `Trainer` does, with a clock beside the first ones."""
        if len(self._seconds) > 2 * COMPARED:
            return super().step()
        if len(self._seconds) == COMPARED:
            self.learning = self.led(lambda network: torch.compile(network, backend=BACKEND))
        began = perf_counter()
        try:
            terms = super().step()
        except (errors.CausalDisentError, torch.OutOfMemoryError):
            raise
        except Exception as error:
            if len(self._seconds) != COMPARED:
                raise
            raise errors.InvalidInput(
                f"--compile: torch cannot compile the networks here: {errors.described(error)}. Leave it out."
            ) from error
        float(terms["loss"])  # waits for the device
        self._seconds.append(perf_counter() - began)
        if len(self._seconds) == 2 * COMPARED + 1:
            self._choose()
        return terms

    def _choose(self) -> None:
        """Keep the faster networks, and say so."""
        plain, compiled = min(self._seconds[:COMPARED]), min(self._seconds[COMPARED + 1 :])
        spent = self._seconds[COMPARED] - compiled
        told = f"a step takes {1000 * compiled:.3g} ms compiled and {1000 * plain:.3g} ms plain"
        if compiled < plain:
            pays = math.ceil(spent / (plain - compiled))
            say(f"{told}; compiling took {spent:.3g} s, which {pays:,} steps make up for", error=True)
        else:
            self.learning = self._plain
            say(f"{told}; compiling took {spent:.3g} s and does not pay here: plain ones follow", error=True)


#: For the checks of networks.
TORCH = Framework(
    nn.Module,
    "torch.nn.Module",
    lambda value, shape: isinstance(value, torch.Tensor) and value.shape == shape and value.dtype == torch.float32,
    TENSORS,
)


def make_trainer(plan: Plan, device: torch.device, *, compiled: bool = False) -> Trainer:
    """Networks and optimizers for `plan`, before the first step; `compiled` if steps are the faster for it."""
    objective = plan.objective
    if compiled and isinstance(objective, OwnLoss):
        raise errors.InvalidInput("--compile: a model with a loss of its own is not compiled. Leave it out.")
    bfloat16 = plan.chosen.precision == "bfloat16"
    if bfloat16:
        check_bfloat16(device)
    generator = torch.Generator().manual_seed(plan.model_seed)
    networks = nn.ModuleDict(make_networks(plan, generator, TORCH))
    if isinstance(objective, OwnLoss):
        objective.prepare(plan.data, networks, plan.model_seed)
    networks.to(device)
    optimizers = {"vae": vae_optimizer([weight for one in vae_networks(networks) for weight in one.parameters()])}
    if objective.discriminates:
        optimizers["discriminator"] = discriminator_optimizer(list(networks["discriminator"].parameters()))
    _try(networks, plan.data, device)
    given = (networks, objective, reconstruction_loss(), optimizers, plan.batches(), plan.labelled[0])
    kind = CompiledTrainer if compiled else Trainer
    return kind(*given, generator=generator, device=device, bfloat16=bfloat16)


def _try(networks: nn.ModuleDict, data: Any, device: torch.device) -> None:
    """Raise unless the networks fit the images and each other; statistics and generators stay as they are."""
    images, _ = Batches(data, 2, 0).draw()
    with torch.no_grad(), keep_generators(device), in_evaluation(networks):
        check_outputs(dict(networks.items()), torch.tensor(images, device=device), TORCH)
