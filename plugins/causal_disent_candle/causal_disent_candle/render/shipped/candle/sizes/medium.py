"""Times the 1 m that objects fit into."""

VALUE = 2
