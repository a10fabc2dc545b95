"""Base class of studies: which models are trained, and how they are measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import disentanglement_lib.utils.hyperparams as h
from causal_disent import errors
from disentanglement_lib.utils import resources


class Study:
    """A subclass says which configs there are."""

    def get_model_config(self, model_num: int = 0) -> tuple[list[str], str]:
        """The bindings of a model, and its config file."""
        raise NotImplementedError()

    def get_postprocess_config_files(self) -> list[str]:
        """The configs of postprocessing."""
        raise NotImplementedError()

    def get_eval_config_files(self) -> list[str]:
        """The configs of evaluation."""
        raise NotImplementedError()

    def print_model_config(self, model_num: int = 0) -> None:
        """Print the bindings and the config file of a model."""
        bindings, file = self.get_model_config(model_num)
        _print_lines("Gin base config for model training:", [f"{file}\n"])
        _print_lines("Gin bindings for model training:", bindings)

    def print_postprocess_config(self) -> None:
        """Print the configs of postprocessing."""
        title = "Gin config files for postprocessing (random seeds may be set later):"
        _print_lines(title, self.get_postprocess_config_files())

    def print_eval_config(self) -> None:
        """Print the configs of evaluation."""
        title = "Gin config files for evaluation (random seeds may be set later):"
        _print_lines(title, self.get_eval_config_files())


def _print_lines(title: str, lines: Iterable[str]) -> None:
    print("\n".join([title, "--", *lines]))


#: Model -> its settings in the studies: those that vary, and those that do not.
MODELS: dict[str, tuple[dict[str, Sequence[float]], dict[str, Any]]] = {
    "beta_vae": ({"vae.beta": (1.0, 2.0, 4.0, 6.0, 8.0, 16.0)}, {"model.model": "@vae()"}),
    "factor_vae": (
        {"factor_vae.gamma": (10.0, 20.0, 30.0, 40.0, 50.0, 100.0)},
        {"model.model": "@factor_vae()", "discriminator.discriminator_fn": "@fc_discriminator"},
    ),
    "dip_vae_i": (
        {"dip_vae.lambda_od": (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)},
        {"model.model": "@dip_vae()", "dip_vae.lambda_d_factor": 10.0, "dip_vae.dip_type": "i"},
    ),
    "dip_vae_ii": (
        {"dip_vae.lambda_od": (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)},
        {"model.model": "@dip_vae()", "dip_vae.lambda_d_factor": 1.0, "dip_vae.dip_type": "ii"},
    ),
    "beta_tc_vae": ({"beta_tc_vae.beta": (1.0, 2.0, 4.0, 6.0, 8.0, 10.0)}, {"model.model": "@beta_tc_vae()"}),
    "annealed_vae": (
        {"annealed_vae.c_max": (5.0, 10.0, 25.0, 50.0, 75.0, 100.0)},
        {
            "model.model": "@annealed_vae()",
            "annealed_vae.iteration_threshold": 100000,
            "annealed_vae.gamma": 1000,
        },
    ),
}


def get_num_latent(sweep: Iterable[int]) -> h.Settings:
    """Settings of the number of codes."""
    return h.sweep("encoder.num_latent", sweep)


def get_seeds(num: int) -> h.Settings:
    """Settings of the seed, from 0."""
    return h.sweep("model.random_seed", range(num))


def get_default_models() -> h.Settings:
    """Six models, each with six values of its hyper-parameter."""
    return h.chainit(
        h.zipit(
            [
                h.fixed("model.name", name),
                *(h.sweep(parameter, values) for parameter, values in varied.items()),
                *(h.fixed(parameter, value) for parameter, value in constant.items()),
            ]
        )
        for name, (varied, constant) in MODELS.items()
    )


class SweepStudy(Study):
    """A study of the default models on several data sets, each with several seeds.

    Attributes:
        folder: of its configs in this package.
        datasets: their names.
        num_seeds: of each model on each data set.
    """

    folder: str
    datasets: Sequence[str]
    num_seeds: int

    def get_datasets(self) -> h.Settings:
        """Settings of the data set."""
        return h.sweep("dataset.name", self.datasets)

    def get_config(self) -> h.Settings:
        """The settings of every model."""
        networks = {"encoder.encoder_fn": "@conv_encoder", "decoder.decoder_fn": "@deconv_decoder"}
        return h.product([self.get_datasets(), [networks], get_default_models(), get_seeds(self.num_seeds)])

    def get_model_config(self, model_num: int = 0) -> tuple[list[str], str]:
        """The bindings of a model, and its config file."""
        settings = self.get_config()
        if not -len(settings) <= model_num < len(settings):
            raise IndexOutOfRange(
                f"{type(self).__name__} has the models 0 to {len(settings) - 1}; there is no model {model_num}."
            )
        return h.to_bindings(settings[model_num]), resources.get_file(f"{self.folder}/model_configs/shared.gin")

    def get_postprocess_config_files(self) -> list[str]:
        """The configs of postprocessing."""
        return list(resources.get_files_in_folder(f"{self.folder}/postprocess_configs"))

    def get_eval_config_files(self) -> list[str]:
        """The configs of evaluation."""
        return list(resources.get_files_in_folder(f"{self.folder}/metric_configs"))


class IndexOutOfRange(errors.InvalidInput, IndexError):
    """A model that a study does not have."""


def functions_of(study: type[SweepStudy]) -> tuple[Callable[[], h.Settings], Callable[[], h.Settings]]:
    """``get_datasets`` and ``get_config`` of a study, for its module."""
    return study().get_datasets, study().get_config
