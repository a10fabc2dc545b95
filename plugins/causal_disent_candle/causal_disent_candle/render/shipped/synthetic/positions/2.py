"""Of the middle of the object, in metres."""

VALUE = [-0.45, 0.4]
