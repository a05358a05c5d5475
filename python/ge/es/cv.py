"""Operators of images.

Each function is made when it is first asked for; `dir()` names them all.
"""

from __future__ import annotations

from ge.es._operators import OperatorModule

__getattr__, __dir__ = OperatorModule(__name__, globals()).hooks()
