"""Pages of the site that are kept outside docs: the plugins' READMEs, CONTRIBUTING, and the Python reference.

`mkdocs.yml` names this file as a hook. The reference is made of the names that the packages call public, so that
none can be forgotten.
"""

import importlib
import re
from pathlib import Path

from griffe import Extension
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
#: Module -> what its section is called. Its public names are its ``__all__``, or the classes that it defines.
PUBLIC = {
    "causal_disent": "Scores, runs and studies",
    "causal_disent.metrics": "Metrics",
    "causal_disent.data": "Data sets",
    "causal_disent.graphs": "Causal graphs",
    "causal_disent.protocols": "Protocols",
    "causal_disent.testing": "Checks for plugins",
    "causal_disent.errors": "Errors",
}


class Examples(Extension):
    """Have mkdocstrings show what our docstrings call ``Example:`` as code."""

    def on_object(self, *, obj, **_):
        """Rename the section."""
        if obj.docstring:
            obj.docstring.value = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.M)


def public_names(module):
    """The public names of a module, without its version."""
    found = importlib.import_module(module)
    names = getattr(found, "__all__", None) or [
        name for name, value in vars(found).items() if isinstance(value, type) and value.__module__ == module
    ]
    return [name for name in names if not name.startswith("_")]


def reference_page():
    """A section for each module, and an entry for each of its public names."""
    parts = ["# Python", "What programs can rely on. Everything else may change without notice."]
    for module, title in PUBLIC.items():
        parts.append(f"## {title}: `{module}`")
        for name in public_names(module):
            value = getattr(importlib.import_module(module), name)
            home, name = getattr(value, "__module__", module), getattr(value, "__qualname__", name)
            parts.append(f"::: {home}.{name}\n    options:\n      heading_level: 3")
    return "\n\n".join(parts) + "\n"


def elsewhere():
    """Place in the site -> the text of a page that is kept outside docs."""
    pages = {f"plugins/{path.parent.name}.md": path for path in sorted(ROOT.glob("plugins/*/README.md"))}
    pages |= {name: ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md")}
    return {place: relink(path.read_text(encoding="utf-8"), place) for place, path in pages.items()}


def relink(text, place):
    """The links of a page as the site has them: plugins' folders are pages, and docs is the root."""
    up = "../" if "/" in place else ""
    text = re.sub(r"\]\((?:\.\./)*docs/", f"]({up}", text)
    text = re.sub(r"\]\(\.\./(?:plugins/)?((?:causal_disent|disentanglement|example)_\w+)(?:/README\.md)?\)",
                  rf"]({'' if up else 'plugins/'}\1.md)", text)  # fmt: skip
    return re.sub(r"\]\(plugins/(\w+)(?:/README\.md)?\)", rf"]({up}plugins/\1.md)", text)


def on_files(files, config):
    """Add the pages that are kept elsewhere, and the reference."""
    for place, text in {**elsewhere(), "reference.md": reference_page()}.items():
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Have links lead to pages of the site; comments for the tests are not shown."""
    return re.sub(r"<!-- (?:not run|file): [^\n]* -->\n", "", relink(markdown, page.file.src_uri))
