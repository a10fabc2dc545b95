"""``candle_mini``: CANDLE in miniature, drawn with numpy."""

from causal_disent.data.candle_mini.data_set import CandleMini

__all__ = ["CandleMini"]
