"""``causal-disent check``, ``cite``, ``calibrate``, ``demo``, ``convert`` and ``completion``."""

from __future__ import annotations

import argparse
import io
import re
import shlex
import traceback
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

from causal_disent import errors
from causal_disent.cli._arguments import add_certainty, add_names, add_seed, seed_of
from causal_disent.cli.main import all_commands, dlib_scripts, parser_of
from causal_disent.plugins import explain_missing, loaded_plugins, shipped_configs
from causal_disent.registry import KINDS, Entry, isolated, registry
from causal_disent.report.remarks import HEADS, certainty_cells, remarks
from causal_disent.report.table import text_table
from causal_disent.runs.convert import convert, formats
from causal_disent.text import say, say_json


def add_check(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    kinds = ["metrics", "datasets", "representations", "models"]
    add_names(parser, kinds, "name", help="a registered name; every kind that has it is checked")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(command=run_check)


def run_check(arguments: argparse.Namespace) -> int:
    """Run the checks, each printed as it happens unless JSON is asked for."""
    from causal_disent.testing import named_checks

    results: list[dict[str, str]] = []
    for entry in entries_named(arguments.name):
        if not arguments.json:
            say(f"{KINDS[entry.kind].thing} {entry.name}, of the plugin {entry.owner}")
        for check in named_checks(entry.kind, entry):
            outcome = check.outcome()
            if not arguments.json:
                say(outcome)
            if arguments.debug and outcome.error is not None:
                traceback.print_exception(outcome.error)
            told = {"check": outcome.check, "status": outcome.status, "reason": outcome.reason}
            results.append({"kind": entry.kind, **told})
    if arguments.json:
        say_json(results)
    return 1 if any(result["status"] == "failed" for result in results) else 0


def add_cite(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    add_names(parser, ["metrics"], "names", nargs="*", help="metrics; without any, this software alone")
    parser.set_defaults(command=run_cite)


def run_cite(arguments: argparse.Namespace) -> int:
    """Print BibTeX."""
    from causal_disent.report.citations import bibtex_of

    say(bibtex_of(arguments.names).rstrip("\n"))
    return 0


def entries_named(name: str) -> list[Entry]:
    """The entries called `name`, of all kinds that have checks; at least one."""
    from causal_disent.testing import CHECKED_KINDS

    found = [registry.get(kind, name) for kind in CHECKED_KINDS if registry.variants(kind, name)]
    if found:
        return found
    names = sorted({other for kind in CHECKED_KINDS for other in registry.names(kind)})
    raise explain_missing("metric, data set or model", name, names, CHECKED_KINDS)


def add_calibrate(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    add_names(parser, ["metrics"], "--metrics", nargs="+", help="the metrics (all that there are)")
    parser.add_argument(
        "--output", type=Path, default=Path("output/calibrate"), metavar="FOLDER", help="to write (%(default)s)"
    )
    parser.add_argument("--num_train", type=int, default=1000, help="points that a metric samples (%(default)s)")
    add_certainty(parser)
    parser.add_argument(
        "--seeds",
        type=int,
        default=0,
        metavar="N",
        help="also how far seeds scatter the scores of good and bad codes",
    )
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", help="points for that (as --num_train)")
    add_seed(parser)
    parser.set_defaults(command=run_calibration)


def run_calibration(arguments: argparse.Namespace) -> int:
    """Measure, print the table, write it as text and as a picture."""
    from causal_disent.config import gin_config
    from causal_disent.files import check_file_place
    from causal_disent.report.calibration import calibration_text, write_calibration
    from causal_disent.runs.calibrate import CASES, calibrate

    seed = seed_of(arguments)
    check_file_place(arguments.output / "calibration.json")
    with gin_config(["calibrate.gin"]):
        rows = calibrate(
            arguments.metrics,
            num_train=arguments.num_train,
            random_seed=seed,
            bootstrap=arguments.bootstrap,
            chance=arguments.chance,
        )
    write_calibration(arguments.output, rows, CASES, num_train=arguments.num_train, random_seed=seed)
    say(calibration_text(rows, CASES))
    say(f"\nResults: {arguments.output}/calibration.csv, .json, .md, .png")
    if arguments.seeds:
        _run_seeds(arguments, seed)
    return 0


def _run_seeds(arguments: argparse.Namespace, seed: int) -> None:
    from causal_disent.config import gin_config
    from causal_disent.report.calibration import reseeding_text, write_reseeding
    from causal_disent.runs.calibrate import FROM_GOOD_TO_BAD, reseed

    names = [case.name for case in FROM_GOOD_TO_BAD]
    sizes = arguments.sizes or [arguments.num_train]
    with gin_config(["calibrate.gin"]):
        found = reseed(arguments.metrics, sizes=sizes, seeds=arguments.seeds, random_seed=seed)
    write_reseeding(arguments.output, found, names)
    say(f"\n{reseeding_text(found, names)}\n\nResults: {arguments.output}/reseeding.csv, .md, .png")


#: Name of the row -> what it shows, and the folder's representation.gin.
ROWS: dict[str, tuple[str, str]] = {
    "perfect": ("perfect oracle", "representation.name = 'perfect_oracle'\n"),
    "mixed": ("mixed codes", "representation.name = 'mixed_oracle'\nmixed_oracle.strength = 1.0\n"),
    "noise": ("noise encoder", "representation.name = 'noise_oracle'\n"),
    "confounded": (
        "perfect oracle, fully confounded data",
        "representation.name = 'perfect_oracle'\n"
        "dataset.name = 'candle_mini'\n"
        "dataset.factors = ['object', 'color']\n"
        "dataset.confounding = 'candle_one_to_one'\n",
    ),
}
SCORES = ("IRS", "UC", "CG", "CG_signed")


#: Points of the first part of the demo.
DEMO_POINTS = 600


def add_demo(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument("--output", type=Path, default=Path("output/demo"), help="folder to write (%(default)s)")
    parser.set_defaults(command=lambda arguments: run_demo(arguments.output))


def _demo_of_matrices(output: Path) -> None:
    """Score two encoders of the same images, write a page and a picture, and compare the two."""
    import numpy as np

    from causal_disent.api import compare, score
    from causal_disent.figures import save_figure
    from causal_disent.files import check_place, write_text
    from causal_disent.runs.dataset import get_dataset

    check_place(output)
    data = get_dataset("candle_mini", factors=["object", "color", "size", "scene"])
    rows, images = data.sample(DEMO_POINTS, np.random.RandomState(0))
    factors = {
        name: np.array(data.factor_table[name].cat.categories, dtype=str)[column]
        for name, column in zip(data.factor_names, rows.T, strict=True)
    }
    flat = images.reshape(len(images), -1) - images.reshape(len(images), -1).mean(axis=0)
    encoders = {
        "principal_components": flat @ np.linalg.svd(flat, full_matrices=False)[2][:8].T,
        "mean_colors": images.reshape(len(images), 2, 32, 2, 32, 3).mean(axis=(2, 4)).reshape(len(images), -1),
    }
    say(
        f"{DEMO_POINTS} images of candle_mini, and two encoders without a network: eight principal components, and"
    )
    say("the mean colors of the image's quarters. Your codes and your factors go where these go.\n")
    for name, codes in encoders.items():
        scores = score(codes, factors, fast=True)
        say(f"{name}: {scores}\n")
        output.mkdir(parents=True, exist_ok=True)
        write_text(output / f"{name}.html", scores.to_html())
        save_figure(scores.plot(), output / f"{name}.png")
    say(compare(encoders, factors, metrics="mig,mig_sup,dcimig,uc,irs", bootstrap=100))
    say(f"\nThe pages, to open in a browser: {', '.join(str(output / f'{name}.html') for name in encoders)}")


def run_demo(output: Path) -> int:
    """Evaluate each row, write its folders under `output`, print one table."""
    from causal_disent.report.pictures import contact_sheet, save_picture
    from causal_disent.runs.dataset import get_dataset
    from causal_disent.runs.evaluate import evaluate_with_gin

    _demo_of_matrices(output)
    say("\nWith a decoder: do interventions on the codes of a factor change that factor, and only that?\n")
    rows: list[list[Any]] = []
    judges: dict[str, None] = {}
    for name, (title, representation) in ROWS.items():
        folder = output / name / "representation"
        folder.mkdir(parents=True, exist_ok=True)
        if "dataset.name" not in representation:
            representation += "dataset.name = 'candle_mini'\n"
        (folder / "representation.gin").write_text(representation, encoding="utf-8")
        say(f"evaluating: {title} ...")
        scores = evaluate_with_gin(folder, output / name / "evaluation", True, ["demo.gin"])
        titles = [title] + [""] * (len(SCORES) - 1)
        rows += [
            [head, key, scores[key], *certainty_cells(scores, key)]
            for head, key in zip(titles, SCORES, strict=True)
        ]
        judges.setdefault(remarks(scores)[0])
    save_picture(contact_sheet(get_dataset("candle_mini")), output / "candle_mini.png")
    say()
    say(text_table(["representation", "score", "value", *HEADS], rows))
    say()
    say("\n".join(judges))
    say("The oracles draw images of the data set, all of which nearest_image has seen.")
    say(f"\nResults: {output}/<row>/evaluation/results; the data set: {output / 'candle_mini.png'}")
    return 0


def add_convert(parser: argparse.ArgumentParser) -> None:
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
    parser.set_defaults(command=run_convert)


def run_convert(arguments: argparse.Namespace) -> int:
    for path in convert(
        arguments.source,
        arguments.target,
        to=arguments.to,
        model_dir=arguments.model_dir,
        overwrite=arguments.overwrite,
    ):
        say(f"  -> {path}")
    return 0


SCRIPT = """# Made by `causal-disent completion {shell}`.
{head}_causal_disent_words() {{
    case "$1" in
{cases}
        *) return 1 ;;
    esac
}}
_causal_disent() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
    local key="${{COMP_WORDS[0]##*/}}" i words
    # bash takes --flag=value for three words.
    if [ "$word" = "=" ]; then word=""; fi
    if [ "$previous" = "=" ]; then previous="${{COMP_WORDS[COMP_CWORD-2]}}"; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${{COMP_WORDS[i]}}" in -*) break ;; esac
        _causal_disent_words "$key ${{COMP_WORDS[i]}}" > /dev/null || break
        key="$key ${{COMP_WORDS[i]}}"
    done
    words="$(_causal_disent_words "$key $previous" || _causal_disent_words "$key")"
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _causal_disent {commands}
"""
SHELLS = {"bash": "", "zsh": "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n"}
HOW = """Put it where your shell reads it, for instance:
    causal-disent completion bash > ~/.causal_disent_completion
    echo 'source ~/.causal_disent_completion' >> ~/.bashrc"""
#: Flags of disentanglement_lib's commands -> what their values are.
FLAGS = {"--gin_config": "configs", "--backend": "backends"}


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = HOW
    parser.add_argument("shell", choices=sorted(SHELLS))
    parser.set_defaults(command=run_completion)


def run_completion(arguments: argparse.Namespace) -> int:
    """Print the script."""
    found = completions()
    same: dict[str, list[str]] = {}
    for key, words in found.items():
        same.setdefault(" ".join(words), []).append(shlex.quote(key))
    cases = "\n".join(f"        {' | '.join(keys)}) echo {shlex.quote(words)} ;;" for words, keys in same.items())
    commands = " ".join(key for key in found if " " not in key)
    head = SHELLS[arguments.shell]
    say(SCRIPT.format(shell=arguments.shell, head=head, cases=cases, commands=commands).rstrip())
    return 0


def completions() -> dict[str, list[str]]:
    """What was typed, such as ``causal-disent metrics`` or ``dlib_evaluate --gin_config`` -> what may follow."""
    found = {"causal-disent": ["--help", "--version", "--debug"]}
    for called, entry in all_commands().items():
        key = " ".join(["causal-disent", *called])
        for end in range(len(called)):
            found.setdefault(" ".join(["causal-disent", *called[:end]]), []).append(called[end])
        with suppress(errors.CausalDisentError), entry.isolated():  # of a plugin: it is left out
            for option, words in _of_parser(parser_of(entry, called)):
                found.setdefault(f"{key} {option}".rstrip(), []).extend(words)
    for name, script in dlib_scripts().items():
        found[name] = []
        with suppress(errors.CausalDisentError), isolated():
            for is_switch, flag in _flags(script.load()):
                found[name].append(flag)
                if not is_switch:
                    found[f"{name} {flag}"] = _names([FLAGS[flag]] if flag in FLAGS else [])
    # Words alone that mean nothing to a shell: it expands what it completes.
    return {
        key: [word for word in dict.fromkeys(words) if re.fullmatch(r"[\w./-]+", word, flags=re.A)]
        for key, words in found.items()
    }


def _of_parser(parser: argparse.ArgumentParser) -> Iterator[tuple[str, list[str]]]:
    """Option -> its values, and "" -> the options and what else the command takes."""
    for action in parser._actions:
        names = [*(str(choice) for choice in action.choices or ()), *_names(getattr(action, "names_of", ()))]
        yield "", list(action.option_strings) or names
        if action.nargs != 0:
            for option in action.option_strings:
                yield option, names


def _flags(main: object) -> list[tuple[str, str]]:
    """``[no]`` or nothing, and the name, of each flag in the help of one of disentanglement_lib's commands."""
    text = io.StringIO()
    with redirect_stdout(text):
        main(["--help"])  # type: ignore[operator]
    return [
        (no, f"--{name}") for no, name in re.findall(r"^ +(?:-\w,)?--(\[no\])?(\w+):", text.getvalue(), flags=re.M)
    ]


def _names(kinds: Iterable[str]) -> list[str]:
    others = {"configs": shipped_configs, "plugins": lambda: [plugin.name for plugin in loaded_plugins()]}
    return [name for kind in kinds for name in (others[kind]() if kind in others else registry.names(kind))]
