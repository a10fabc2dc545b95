"""Data sets: those that come with the core, views of any, and one's own."""

from causal_disent.data.array_data import ArrayDataset
from causal_disent.data.folder_data import FolderDataset

__all__ = ["ArrayDataset", "FolderDataset"]
