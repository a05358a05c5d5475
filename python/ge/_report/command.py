"""From the compiler's JSON to one HTML file."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from typing import Optional, Sequence

from ge._report.page import page

__all__ = ["main"]

_FORMAT = 1
_NOT_WRITTEN = 3  # exit code: the page is made, but the file system does not take it


def _write(path: str, text: str) -> None:
    """The file appears under its name when it is complete."""
    folder = os.path.dirname(path) or "."
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".report-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Writes the page; 0, or after a line that says why not 1, or 3 if the file cannot be written."""
    parser = argparse.ArgumentParser(prog="python -m ge._report", description=__doc__)
    parser.add_argument("report", help="JSON as 'atc --report=NAME.json' writes it")
    parser.add_argument("page", help="HTML file to write")
    options = parser.parse_args(argv)
    try:
        with open(options.report, encoding="utf-8") as file:
            data = json.load(file)
        if data.get("format") != _FORMAT:
            raise ValueError(
                f"format {data.get('format')} of '{options.report}', expected {_FORMAT}; make both with one version"
            )
        text = page(data)
    except (OSError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
        return 1
    try:
        _write(options.page, text)
    except OSError as error:
        print(error.strerror)
        return _NOT_WRITTEN
    return 0
