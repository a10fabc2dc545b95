"""What training is, without a framework: settings, plan, labels, folders and the loop; a backend does the rest."""
