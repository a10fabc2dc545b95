"""The classifier of CG: a small convolutional network, trained once per data set and kept."""

from __future__ import annotations

from causal_disent_torch.classifier.factory import conv_classifier

__all__ = ["conv_classifier"]
