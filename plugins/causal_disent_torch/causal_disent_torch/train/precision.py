"""``model.precision = 'bfloat16'``: the networks compute in it; weights, losses and optimizers stay in float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from causal_disent import errors

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
