"""Lays out the package around a library that cargo has built already, so that pip can make a wheel of it without
compiling anything: pack.py LIBRARY FOLDER. Its metadata are those with which maturin builds the one to hand on.
"""

import re
import shutil
import sys
from pathlib import Path

library, folder = Path(sys.argv[1]), Path(sys.argv[2])
here = Path(__file__).parents[2] / "crates/python"

shutil.copytree(here / "python/setsight", folder / "setsight")
shutil.copy2(library, folder / "setsight/_setsight.abi3.so")
shutil.copy2(here / "README.md", folder)

version = re.search(r'^version = "(.+)"$', (here / "../../Cargo.toml").read_text(), re.M)[1]
(project,) = re.findall(r"^\[project\]\n.*?(?=^\[)", (here / "pyproject.toml").read_text(), re.M | re.S)
assert 'dynamic = ["version"]' in project
project = project.replace('dynamic = ["version"]', f'version = "{version}"')
setuptools = '[build-system]\nrequires = ["setuptools>=77"]\nbuild-backend = "setuptools.build_meta"\n'
(folder / "pyproject.toml").write_text(f"{setuptools}\n{project}")
(folder / "setup.py").write_text(
    """from setuptools import Distribution, setup


class Compiled(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(
    distclass=Compiled,
    packages=["setsight"],
    package_data={"setsight": ["*"]},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
"""
)
