"""``causal-disent convert``: a model's folder in another format."""

from __future__ import annotations

import argparse
from pathlib import Path

from causal_disent.runs.convert import convert, formats
from causal_disent.text import say


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument("source", metavar="IN", type=Path, help="folder of a model or representation")
    parser.add_argument("target", metavar="OUT", type=Path, help="folder to write")
    parser.add_argument(
        "--to",
        default="safetensors",
        metavar="FORMAT",
        help=f"{', '.join(formats())}; disentanglement_lib's folders become safetensors unless it is given",
    )
    parser.add_argument("--onnx", action="store_const", dest="to", const="onnx", help="the same as --to onnx")
    parser.add_argument("--model_dir", type=Path, help="folder of the model with the decoder, if IN has none")
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it exists")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    for path in convert(
        arguments.source,
        arguments.target,
        to=arguments.to,
        model_dir=arguments.model_dir,
        overwrite=arguments.overwrite,
    ):
        say(f"  -> {path}")
    return 0
