"""What all training commands have in common: networks from the config, the run, the model folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causal_disent import errors
from causal_disent.config import bindings_of, operative_bindings, operative_config
from causal_disent.files import new_folder
from causal_disent.registry import registry
from causal_disent.runs.results import write_results
from causal_disent_torch.backend import MODEL
from causal_disent_torch.device import choose_device
from causal_disent_torch.models.objective import Objective
from causal_disent_torch.steps.settings import ModelSettings
from causal_disent_torch.training.partial import clear, partial_folder

if TYPE_CHECKING:
    import torch

    from causal_disent_torch.training.batches import Batches, LabelledImages
    from causal_disent_torch.training.trainer import Trainer

__all__ = ["Plan", "carry_out"]


@dataclass(frozen=True)
class Plan:
    """What is to be trained on what.

    Attributes:
        chosen: ``model.*``.
        objective: what is minimised.
        data: the data set.
        model_seed: of weights and noise.
        data_seeds: of the images to train on, and of those to evaluate the loss on.
        labelled: the labelled images to train on, and those to evaluate the loss on.
    """

    chosen: ModelSettings
    objective: Objective
    data: Any
    model_seed: int
    data_seeds: tuple[int, int]
    labelled: tuple[LabelledImages | None, LabelledImages | None] = (None, None)


def carry_out(
    plan: Plan,
    target: Path,
    overwrite: bool,
    *,
    device: str = "auto",
    checkpoint_every: int = 1000,
    resume: bool = True,
    tensorboard: bool | None = None,
) -> dict[str, Any]:
    """Train and write a model folder; all that can be wrong with the settings is found before the first step.

    Args:
        plan: what to train.
        target: the folder to write. While the run goes on, its checkpoint is in ``<target>.partial``.
        overwrite: replace the folder.
        device: as for `causal_disent_torch.choose_device`.
        checkpoint_every: steps between checkpoints; 0 for none.
        resume: go on from a checkpoint with the same settings.
        tensorboard: write curves into ``<target>/tensorboard``; None for doing so where tensorboard is installed.

    Returns:
        The terms of the loss, averaged over ``model.eval_steps`` batches, with ``elapsed_time`` in seconds.
    """
    if checkpoint_every < 0:
        raise errors.InvalidInput(f"--checkpoint_every must be at least 0; given: {checkpoint_every}.")
    place = choose_device(device)
    from causal_disent_torch.global_generators import seeded
    from causal_disent_torch.saved_model import describe, save_model
    from causal_disent_torch.training import run
    from causal_disent_torch.training.batches import Batches, check_boxes

    with_boxes = plan.objective.needs_boxes
    if with_boxes:
        check_boxes(plan.data)
    to_train, to_judge = (
        Batches(plan.data, plan.chosen.batch_size, seed, with_boxes=with_boxes) for seed in plan.data_seeds
    )
    folder = partial_folder(target)
    keeping = run.Keeping(folder, checkpoint_every, resume, restart=overwrite, tensorboard=tensorboard)
    with seeded(plan.model_seed, place):  # a user's own modules draw from torch's global generators
        trainer = _trainer(plan, to_train, place)
        _check_networks(trainer, plan.data)
        # A loss is called only in the first step; what is bound for it belongs to the settings as well.
        settings = {**operative_bindings(), **dict(bindings_of(*registry.in_configs()))}
        elapsed = run.train(trainer, plan.chosen.training_steps, settings, keeping)
        scores: dict[str, Any] = dict(
            run.evaluate(trainer, to_judge, plan.labelled[1], plan.model_seed, plan.chosen.eval_steps)
        )
    scores.update(global_step=trainer.num_steps, elapsed_time=elapsed)
    with new_folder(target, overwrite=overwrite) as written:
        encoder, decoder = trainer.networks["encoder"], trainer.networks["decoder"]
        description = describe(encoder, decoder, trainer.reconstruction.activation)
        save_model(written / MODEL, encoder, decoder, description)
        run.copy_curves(folder, written)
        write_results(written, "train", scores, operative_config(), operative_bindings())
    clear(folder)
    return scores


def _trainer(plan: Plan, batches: Batches, device: torch.device) -> Trainer:
    """Networks and optimizers as the config binds them."""
    import torch

    from causal_disent_torch.architectures.names import decoder, discriminator, encoder
    from causal_disent_torch.losses.names import reconstruction_loss
    from causal_disent_torch.optimizers import discriminator_optimizer, vae_optimizer
    from causal_disent_torch.supervision.names import supervised_loss
    from causal_disent_torch.training.trainer import Trainer

    objective = plan.objective
    generator = torch.Generator().manual_seed(plan.model_seed)
    shape = tuple(plan.data.observation_shape)
    networks = torch.nn.ModuleDict({"encoder": encoder(shape, generator)})
    num_latent: Any = networks["encoder"].num_latent
    networks["decoder"] = decoder(shape, num_latent, generator)
    if objective.factor_sizes is not None:
        networks["supervision"] = supervised_loss(num_latent, objective.factor_sizes, generator)
    trained = list(networks.parameters())
    if objective.discriminates:
        networks["discriminator"] = discriminator(num_latent, generator)
    networks.to(device)
    optimizers = {"vae": vae_optimizer(trained)}
    if objective.discriminates:
        optimizers["discriminator"] = discriminator_optimizer(list(networks["discriminator"].parameters()))
    return Trainer(
        networks,
        objective,
        reconstruction_loss(),
        optimizers,
        batches,
        generator,
        device,
        plan.labelled[0],
    )


def _check_networks(trainer: Trainer, data: Any) -> None:
    """Raise unless the networks fit the images and each other; statistics and generators stay as they are."""
    import torch

    from causal_disent_torch.architectures.checks import check_outputs
    from causal_disent_torch.callables import evaluating
    from causal_disent_torch.global_generators import kept
    from causal_disent_torch.training.batches import Batches

    images, _ = Batches(data, 2, 0).draw()
    with torch.no_grad(), kept(trainer.device), evaluating(trainer.networks):
        check_outputs(trainer.networks, torch.tensor(images, device=trainer.device))
