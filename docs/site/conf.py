"""Sphinx reads the pages of docs/ as they are; scripts/build_docs.sh calls it."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

project = "ge-py"
release = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.M).group(1)
copyright = "the authors of ge-py, Apache-2.0"
extensions = ["myst_parser"]
exclude_patterns = ["site"]
html_theme = "furo"
html_title = f"ge-py {release}"
html_show_sourcelink = False
# Headings can be linked to, as on a code host.
myst_heading_anchors = 3
# Some commands are shown with dots for what is left out.
highlight_language = "none"
linkcheck_timeout = 20
# Anchors of code hosts are made by scripts.
linkcheck_anchors = False


def name_files_of_the_tree(app, page, source):
    """Links that leave docs/ lead nowhere on the site: the file is named instead. tests/test_docs.py checks that it exists."""
    source[0] = re.sub(r"\[([^\]]+)\]\(\.\./([^)#]+)[^)]*\)", r"\1 (`\2`)", source[0])


def setup(app):
    app.connect("source-read", name_files_of_the_tree)
