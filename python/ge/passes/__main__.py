"""`python -m ge.passes list [--json]`."""

from __future__ import annotations

import argparse
import sys
from typing import Optional, Sequence


def main(args: Optional[Sequence[str]] = None) -> int:
    """Runs one command line and returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m ge.passes", description="What passes there are.")
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser(
        "list", help="print every pass that atc would load: name, kind, stage, whether it runs, source"
    )
    listing.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    listing.add_argument("--optimization_switch", default="", metavar="NAME:on;NAME:off")
    listing.add_argument("--fusion_switch_file", default="", metavar="FILE")
    listing.add_argument("--oo_level", default="", choices=["", "O1", "O3"], metavar="O1|O3")
    options = parser.parse_args(args)
    from ge.passes._listing import print_listing

    return print_listing(options.json, options.optimization_switch, options.fusion_switch_file, options.oo_level)


if __name__ == "__main__":
    sys.exit(main())
