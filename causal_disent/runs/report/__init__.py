"""The report of a study or of any tree of result folders: what is found there, and what follows from it."""
