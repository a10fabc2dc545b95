"""What models minimise, one loss per file."""
