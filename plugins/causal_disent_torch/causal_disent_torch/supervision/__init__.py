"""What semi-supervised models are told: labels, how they are compared with codes, and how much that counts."""
