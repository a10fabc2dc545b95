"""Print the lowest versions that setup.cfg allows, as constraints for pip."""

import configparser
import sys

config = configparser.ConfigParser()
config.read(sys.argv[1])
for line in config["options"]["install_requires"].split("\n"):
    if ">=" in line:
        print(line.strip().split(",")[0].replace(">=", "=="))
