"""Of the middle of the object, in metres."""

VALUE = [1.35, -1.4]
