"""CANDLE (Reddy, Godfrey and Balasubramanian, AAAI 2022): a reader of its releases, and a renderer."""
