"""What `pip install` does where the docs say so: a folder is installed for the commands that follow, offline.

Plugins that are installed already are left as they are; the command must name a distribution of this repository.
"""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def install(name: str, site: str) -> None:
    """Install the folder that `name` says into the folder `site`."""
    folder = Path(name.split("[")[0])
    source = folder if (folder / "setup.cfg").is_file() else ROOT / folder
    if not (source / "setup.cfg").is_file():
        sys.exit(f"pip install {name}: there is no such distribution")
    if source.resolve() == ROOT or importlib.util.find_spec(source.resolve().name):
        return
    with tempfile.TemporaryDirectory() as temporary:  # a copy, because building writes into the source folder
        copy = shutil.copytree(source, Path(temporary) / "source")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--no-build-isolation", "--target", site, str(copy)], check=True)


if __name__ == "__main__":
    command, *names = sys.argv[2:]
    if command != "install" or not names:
        sys.exit(f"the docs say pip install FOLDER, not pip {command}")
    for each in names:
        install(each, sys.argv[1])
