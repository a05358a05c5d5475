"""The page that ``atc --report`` makes: ``python -m ge._report REPORT.json PAGE.html``."""

from __future__ import annotations

from ge._report.command import main

__all__ = ["main"]
