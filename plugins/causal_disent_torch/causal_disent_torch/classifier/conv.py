"""A trained network as CG's classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from causal_disent.protocols import FloatArray
from causal_disent.representation.image_shape import check_image_shape
from causal_disent.text import Shown
from causal_disent_torch.classifier.network import FactorNetwork

#: Images judged at a time.
CHUNK = 256


class ConvClassifier(Shown):
    """Follows `causal_disent.protocols.FactorClassifier`.

    Args:
        network: trained, on `device`.
        image_shape: height, width and channels of the images it was trained on.
        accuracy: per factor, on held-out images.
        device: where it runs.
    """

    name = "conv_classifier"

    def __init__(
        self,
        network: FactorNetwork,
        image_shape: Sequence[int],
        accuracy: Sequence[float],
        device: torch.device,
    ) -> None:
        self.network = network.eval()
        self.image_shape = tuple(image_shape)
        self.accuracy = list(accuracy)
        self.device = device

    def _shows(self) -> Iterator[str]:
        yield f"images {'x'.join(map(str, self.image_shape))}"
        sizes = zip(self.network.num_values, self.accuracy, strict=True)
        yield ", ".join(f"{size} values at {accuracy:.3f}" for size, accuracy in sizes)

    def predict_proba(self, images: FloatArray) -> list[FloatArray]:
        """Images (n, h, w, c) in [0, 1] to one (n, values) array per factor; rows sum to 1."""
        return self.predict_proba_tensor(torch.from_numpy(np.require(images, np.float32, ["C", "W"])))

    @torch.inference_mode()
    def predict_proba_tensor(self, images: Tensor) -> list[FloatArray]:
        """The same for a tensor, which may be on any device."""
        check_image_shape(images, self.image_shape, "Images for 'conv_classifier'")
        parts = [
            torch.cat([table.softmax(dim=1) for table in self.network(part.to(self.device, torch.float32))], dim=1)
            for part in images.split(CHUNK)
        ]
        whole = torch.cat(parts).cpu().numpy()
        return np.split(whole, np.cumsum(self.network.num_values)[:-1], axis=1)
