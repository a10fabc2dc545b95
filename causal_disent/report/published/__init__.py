"""The papers' result tables, as data with their source and what is known against them."""

from __future__ import annotations

from causal_disent.report.published.layout import published_list, published_text
from causal_disent.report.published.tables import (
    PublishedTable,
    Source,
    published,
    published_metrics,
    published_models,
    published_table,
    published_tables,
)

__all__ = [
    "PublishedTable",
    "Source",
    "published",
    "published_list",
    "published_metrics",
    "published_models",
    "published_table",
    "published_tables",
    "published_text",
]
