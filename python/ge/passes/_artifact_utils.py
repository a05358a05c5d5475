"""Artifact sets of ge.passes."""

from __future__ import annotations

from typing import List, Tuple

from ge._internal import artifact_utils
from ge._internal.artifact_utils import (
    FORMAT_VERSION,
    MANIFEST,
    Artifact,
    ArtifactKind,
    UnusableSet,
    is_free_threaded,
    this_abi,
    this_platform,
    this_python,
)

__all__ = [
    "BRIDGE_ABI",
    "ENV_ARTIFACT_DIR",
    "FORMAT_VERSION",
    "KIND",
    "MANIFEST",
    "Artifact",
    "UnusableSet",
    "find_artifacts",
    "is_free_threaded",
    "load_artifact",
    "this_abi",
    "this_platform",
    "this_python",
]

ENV_ARTIFACT_DIR = "GE_PY_ARTIFACT_DIR"
BRIDGE_ABI = 2
KIND = ArtifactKind(
    package="ge.passes",
    native_module="ge.passes._ge_pass_native",
    sets_folder="passes/python_pass_artifacts",
    bridge_abi=BRIDGE_ABI,
    override=ENV_ARTIFACT_DIR,
)


def load_artifact(root: str) -> Artifact:
    """Reads the set in `root`.

    Raises:
        UnusableSet: it cannot be used by this interpreter.
    """
    return artifact_utils.load_artifact(root, KIND)


def find_artifacts(sets_root: str) -> Tuple[List[Artifact], List[str]]:
    """All sets that fit, and a line for each that does not."""
    return artifact_utils.find_artifacts(KIND, sets_root)
