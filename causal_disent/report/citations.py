"""BibTeX of the papers that define the metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

from causal_disent import errors
from causal_disent._version import __version__

#: The key of this software.
SOFTWARE = "causal_disent"
#: Metric -> the keys of the papers that define it.
PAPERS = {
    "beta_vae_sklearn": ("higgins2017beta",),
    "causal_disentanglement": ("reddy2022causally", "suter2019robustly"),
    "cg": ("reddy2022causally",),
    "composition": ("monteiro2023measuring",),
    "crl_scores": ("zhu2023shadow", "reshef2011detecting"),
    "dci": ("eastwood2018framework",),
    "dci_es": ("eastwood2023dcies",),
    "dcimig": ("sepliarskaia2019how",),
    "downstream_task": ("locatello2019challenging",),
    "effectiveness": ("monteiro2023measuring",),
    "factor_vae_score": ("kim2018disentangling",),
    "fairness": ("locatello2019fairness",),
    "infomec": ("hsu2023disentanglement",),
    "irs": ("suter2019robustly",),
    "jemmig": ("do2020theory",),
    "mcc": ("hyvarinen2016unsupervised",),
    "mig": ("chen2018isolating",),
    "mig_sup": ("li2020progressive",),
    "minimality": ("melistas2024benchmarking",),
    "modularity_explicitness": ("ridgeway2018learning",),
    "r2": ("eastwood2018framework",),
    "reduced_downstream_task": ("locatello2020sober",),
    "reversibility": ("monteiro2023measuring",),
    "sap_score": ("kumar2018variational",),
    "strong_downstream_task": ("locatello2020sober",),
    "tmex": ("yao2025third",),
    "uc": ("reddy2022causally", "suter2019robustly"),
    "udr_sklearn": ("duan2020unsupervised",),
    "unified_scores": ("locatello2020sober",),
    "unsupervised_metrics": ("locatello2019challenging",),
}


def bibtex_of(metrics: Iterable[str]) -> str:
    """The BibTeX entries of the papers of some metrics, and of this software.

    Example:
        >>> print(bibtex_of(["mig"]).splitlines()[6])
        @inproceedings{chen2018isolating,
    """
    keys = {SOFTWARE: None}
    for name in metrics:
        if name not in PAPERS:
            raise errors.unknown("metric with a paper", name, PAPERS)
        keys |= dict.fromkeys(PAPERS[name])
    return "\n".join(_entries()[key] for key in keys)


def paper_of(metric: str) -> str:
    """Where the paper that defines a metric can be read, if arXiv has it.

    Example:
        >>> paper_of("uc"), paper_of("nothing")
        ('https://arxiv.org/abs/2112.05746', '')
    """
    entries = _entries()
    for key in PAPERS.get(metric, ()):
        if found := re.search(r"(?:eprint\s*=\s*\{|arXiv:)(\d{4}\.\d{4,5})", entries[key]):
            return f"https://arxiv.org/abs/{found[1]}"
    return ""


@cache
def _entries() -> dict[str, str]:
    """Key -> entry of the file of references."""
    text = resources.files("causal_disent.report").joinpath("references.bib").read_text(encoding="utf-8")
    entries = re.split(r"^(?=@)", text.replace("VERSION", __version__), flags=re.M)[1:]
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}
