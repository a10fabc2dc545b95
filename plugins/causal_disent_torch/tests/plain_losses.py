"""The loss of each model in numpy, from the weights of linear networks; shares no code with the package."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp, xlogy


def weights_of(trainer):
    """Every weight in double precision, by its name."""
    return {name: value.double().numpy().copy() for name, value in trainer.networks.state_dict().items()}


def cross_entropy(target, logits):
    """Of Bernoulli variables."""
    return np.logaddexp(0, logits) - target * logits


def entropy(images):
    """Of each image's pixels, as Bernoulli variables, summed."""
    return -(xlogy(images, images) + xlogy(1 - images, 1 - images)).reshape(len(images), -1).sum(1)


@dataclass
class Plain:
    """A batch that has passed linear networks.

    Attributes:
        weights: of `weights_of`.
        images: (n, h, w, c).
        noise: (n, codes).
        step: how many steps were made before.
        labelled: labelled images and their labels, each label one of three values.
        boxes: (n, 4).
    """

    weights: dict
    images: np.ndarray
    noise: np.ndarray
    step: int = 0
    labelled: tuple | None = None
    boxes: np.ndarray | None = None

    def dense(self, layer, inputs):
        return inputs @ self.weights[f"{layer}.weight"].T + self.weights[f"{layer}.bias"]

    def encode(self, layer, images):
        return self.dense(f"encoder.{layer}", np.asarray(images, float).reshape(len(images), -1))

    @property
    def mean(self):
        return self.encode("e1", self.images)

    @property
    def log_var(self):
        return self.encode("e2", self.images)

    @property
    def codes(self):
        return self.mean + np.exp(self.log_var) ** 0.5 * self.noise

    @property
    def output(self):
        return self.dense("decoder.d1", self.codes).reshape(self.images.shape)

    @property
    def kl(self):
        return 0.5 * (self.mean**2 + np.exp(self.log_var) - self.log_var - 1).sum(1).mean()

    @property
    def bernoulli(self):
        return cross_entropy(self.images, self.output).reshape(len(self.images), -1).sum(1).mean()

    @property
    def odds(self):
        """The discriminator's log odds of "as drawn"."""
        hidden = self.codes
        for layer in range(1, 7):
            hidden = self.dense(f"discriminator.d{layer}", hidden)
            hidden = np.where(hidden > 0, hidden, 0.2 * hidden)
        logits = self.dense("discriminator.logits", hidden)
        return (logits[:, 0] - logits[:, 1]).mean()

    @property
    def total_correlation(self):
        """Joint density against the product of the single ones, each mixed over the batch."""
        deviation = self.codes[:, None] - self.mean[None]
        density = -0.5 * (deviation**2 / np.exp(self.log_var) + self.log_var + np.log(2 * np.pi))
        return (logsumexp(density.sum(2), axis=1) - logsumexp(density, axis=1).sum(1)).mean()

    def dip(self, off_diagonal, diagonal, *, drawn):
        """The covariance's distance from the identity; of the means, or of the codes that are drawn."""
        covariance = np.cov(self.mean.T, ddof=0)
        if drawn:
            covariance = covariance + np.diag(np.exp(self.log_var).mean(0))
        weight = np.where(np.eye(len(covariance)) == 1, diagonal, off_diagonal)
        return (weight * (covariance - np.eye(len(covariance))) ** 2).sum()

    @property
    def xent(self):
        """Of the labels, divided by their number of values, and the first codes' means."""
        images, labels = self.labelled
        return cross_entropy(labels / 3, self.encode("e1", images)[:, : labels.shape[1]]).sum()

    def box(self, pixels, *, from_bottom=False):
        """Squared error inside the boxes; `pixels` are those of the reconstructions."""
        total = 0.0
        for image, other, (left, low, right, high) in zip(self.images, pixels, self.boxes, strict=True):
            if from_bottom:
                image, other = image[::-1], other[::-1]
            total += ((image - other)[low:high, left:right] ** 2).sum()
        return total / len(self.images)

    @property
    def sigmoid(self):
        return expit(self.output)

    @property
    def tanh(self):
        return (np.tanh(self.output) + 1) / 2
