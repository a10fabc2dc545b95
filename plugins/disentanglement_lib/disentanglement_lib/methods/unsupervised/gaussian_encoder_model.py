"""What all models with a Gaussian encoder are."""

from __future__ import annotations

from typing import Any, ClassVar

from causal_disent.training.objective import Objective
from disentanglement_lib._core import NeedsTensorFlow1, refuse


class GaussianEncoderModel(Objective):
    """A model that gin names and `train` trains.

    The methods that build a graph of TensorFlow 1 are there to be found; a subclass that overrides one cannot be
    trained.
    """

    #: Method -> what to do instead of overriding it.
    INSTEAD: ClassVar[dict[str, str]] = {
        "model_fn": "Override `regularizer(kl_loss, z_mean, z_logvar, z_sampled)` of vae.BaseVAE, or derive from "
        "causal_disent.training.objective.Objective and override `penalties`.",
        "gaussian_encoder": "Register an encoder (docs/write_a_plugin.md), and bind encoder.encoder_fn to it.",
        "decode": "Register a decoder (docs/write_a_plugin.md), and bind decoder.decoder_fn to it.",
        "sample_from_latent_distribution": "Codes are drawn from the encoder's Gaussians.",
    }

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        for name, instead in cls.INSTEAD.items():
            if getattr(cls, name) is not getattr(GaussianEncoderModel, name):
                raise NeedsTensorFlow1(
                    f"{cls.__name__} overrides `{name}`, which builds a graph of TensorFlow 1. {instead}"
                )
        return super().__new__(cls)

    def model_fn(self, features: Any, labels: Any, mode: Any, params: Any) -> Any:
        """Refuse: there is no Estimator."""
        refuse("`model_fn`", "Train with disentanglement_lib.methods.unsupervised.train.")

    def gaussian_encoder(self, input_tensor: Any, is_training: bool) -> Any:
        """Refuse: the networks are in the folder of the trained model."""
        refuse("`gaussian_encoder`", "Read the model's folder: causal_disent.runs.representation.load_model.")

    def decode(self, latent_tensor: Any, observation_shape: Any, is_training: bool) -> Any:
        """Refuse: the networks are in the folder of the trained model."""
        refuse("`decode`", "Read the model's folder: causal_disent.runs.representation.load_model.")

    def sample_from_latent_distribution(self, z_mean: Any, z_logvar: Any) -> Any:
        """Refuse: codes are drawn while the model is trained."""
        refuse("`sample_from_latent_distribution`", "Training draws the codes.")


def export_as_tf_hub(
    gaussian_encoder_model: Any,
    observation_shape: Any,
    checkpoint_path: str,
    export_path: str,
    drop_collections: Any = None,
) -> None:
    """Refuse: a trained model's folder is written by `train`."""
    refuse("`export_as_tf_hub`", "`causal-disent convert MODEL FOLDER --to dlib` writes a TF-Hub module.")
