"""What pytest must not import in its search for tests and doctests: these run in processes of their own."""

collect_ignore_glob = ["causal_disent_crl/shadow/picture_in_blender.py", "tests/fake_*.py"]
