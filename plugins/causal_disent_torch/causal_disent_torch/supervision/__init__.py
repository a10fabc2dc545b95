"""How the codes of labelled images are compared with their labels."""
