"""The operators of tests/data/ut_operators.h as functions."""

from __future__ import annotations

import pathlib

from ge.es.prototypes import operator_module, read_prototypes

HEADER = pathlib.Path(__file__).resolve().parent / "data" / "ut_operators.h"

ut = operator_module("ut_test", read_prototypes(HEADER.read_text()))
