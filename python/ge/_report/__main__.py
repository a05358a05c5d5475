from __future__ import annotations

import sys

from ge._report.command import main

sys.exit(main())
