"""What setup.cfg cannot say: a file ``.pth`` goes beside the packages."""

from pathlib import Path
from shutil import copyfile

from setuptools import setup
from setuptools.command.build_py import build_py

PTH = "disentanglement_lib_gin_tf.pth"


class BuildWithPth(build_py):
    """Adds the file to wheels; an editable installation goes without."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            copyfile(Path(__file__).with_name(PTH), Path(self.build_lib, PTH))


setup(cmdclass={"build_py": BuildWithPth})
