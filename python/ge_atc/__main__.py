"""``python -m ge_atc``: the command ``atc``."""

from __future__ import annotations

from ge_atc import main

if __name__ == "__main__":
    main()
