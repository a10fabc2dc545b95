"""``causal-disent convert``: a folder of disentanglement_lib to one that torch reads by itself."""

from __future__ import annotations

import argparse
from pathlib import Path

from causal_disent import errors
from causal_disent.files import check_free, new_folder
from causal_disent.representation.folder import check_folder
from causal_disent.runs.results import check_apart, read_results, write_earlier
from causal_disent.text import say
from causal_disent.training.description import MODEL, REPRESENTATION


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument("source", metavar="IN", type=Path, help="folder of a model or representation, with tfhub/")
    parser.add_argument("target", metavar="OUT", type=Path, help="folder to write")
    parser.add_argument("--model_dir", type=Path, help="folder of the model with the decoder, if IN has none")
    parser.add_argument("--onnx", action="store_true", help="write encoder.onnx and decoder.onnx too (needs onnx)")
    parser.add_argument("--overwrite", action="store_true", help="replace OUT if it exists")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    written = convert(
        arguments.source,
        arguments.target,
        model_dir=arguments.model_dir,
        onnx=arguments.onnx,
        overwrite=arguments.overwrite,
    )
    for path in written:
        say(f"  -> {path}")
    return 0


def convert(
    source: Path, target: Path, *, model_dir: Path | None = None, onnx: bool = False, overwrite: bool = False
) -> list[Path]:
    """Write what `source` holds as safetensors, with its results and configs; it scores the same.

    Args:
        source: a model's or a postprocessed representation's folder, as disentanglement_lib writes them.
        target: the folder to write.
        model_dir: the folder of the model with the decoder, if `source` has none.
        onnx: write ONNX files too.
        overwrite: replace `target` if it exists.

    Returns:
        The files that were written, results aside.
    """
    check_folder(source, "IN")
    check_apart([target], [source, *([model_dir] if model_dir else [])])
    check_free(target, overwrite=overwrite)
    earlier = read_results(source)
    # Every `causal-disent` loads this module for its arguments, and most of them need no torch.
    from causal_disent_torch.onnx_files import check_onnx, write_onnx
    from causal_disent_torch.saved_model import save_model
    from causal_disent_torch.tf1.backend import Tf1Backend
    from causal_disent_torch.tf1.read import read_checkpoint

    if onnx:
        check_onnx()
    backend = Tf1Backend(device="cpu")
    if not backend.recognises(source):
        raise errors.InvalidInput(f"{source} is not a folder of disentanglement_lib: there is no tfhub in it.")
    checkpoint = read_checkpoint(source)
    model = backend.read(source, model_dir=model_dir)
    if model.decoder is None:
        raise errors.InvalidInput(
            f"The representation in {source} has no decoder that is known. Name the folder of the model that it "
            "was made of with --model_dir."
        )
    codes = "mean" if checkpoint.sample_seed is None else "sampled"
    part = REPRESENTATION if checkpoint.postprocessed else MODEL
    with new_folder(target, overwrite=overwrite) as folder:
        save_model(
            folder / part, model.encoder, model.decoder, model.activation, codes, checkpoint.sample_seed or 0
        )
        if onnx:
            write_onnx(folder / part, model)
        write_earlier(folder, earlier)
    return sorted((target / part).iterdir())
