"""``causal-disent completion``: a script that completes commands, options, names and configs in a shell.

The words are those of today: after a plugin was installed, the script is to be made again. Asking Python at each
press of a key would take a third of a second.
"""

from __future__ import annotations

import argparse
import io
import re
import shlex
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout, suppress

from causal_disent import errors
from causal_disent.cli.main import all_commands, dlib_scripts, parser_of
from causal_disent.config_files import shipped_configs
from causal_disent.isolation import isolated
from causal_disent.plugins import loaded_plugins
from causal_disent.registry import registry
from causal_disent.text import say

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
HEADS = {"bash": "", "zsh": "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n"}
HOW = """Put it where your shell reads it, for instance:
    causal-disent completion bash > ~/.causal_disent_completion
    echo 'source ~/.causal_disent_completion' >> ~/.bashrc"""
#: Flags of disentanglement_lib's commands -> what their values are.
FLAGS = {"--gin_config": "configs", "--backend": "backends"}


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = HOW
    parser.add_argument("shell", choices=sorted(HEADS))
    parser.set_defaults(command=run_completion)


def run_completion(arguments: argparse.Namespace) -> int:
    """Print the script."""
    found = completions()
    same: dict[str, list[str]] = {}
    for key, words in found.items():
        same.setdefault(" ".join(words), []).append(shlex.quote(key))
    cases = "\n".join(f"        {' | '.join(keys)}) echo {shlex.quote(words)} ;;" for words, keys in same.items())
    commands = " ".join(key for key in found if " " not in key)
    head = HEADS[arguments.shell]
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
