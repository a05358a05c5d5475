"""Artifact sets of ge.custom_op, and the native module out of them."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Iterator, NamedTuple, Optional

from ge._internal import artifact_utils
from ge._internal.artifact_utils import ArtifactKind
from ge._internal.native_loader import NativeLoader

__all__ = [
    "BRIDGE_ABI_VERSION",
    "NATIVE_MODULE_NAME",
    "PrebuiltArtifact",
    "artifact_dir",
    "artifacts_root",
    "ensure_native_module",
    "find_prebuilt_artifact",
    "iter_artifacts",
    "load_native_module",
]

BRIDGE_ABI_VERSION = 1
NATIVE_MODULE_NAME = "ge.custom_op._ge_custom_op_native"
KIND = ArtifactKind(
    package="ge.custom_op",
    native_module=NATIVE_MODULE_NAME,
    sets_folder="custom_op/python_custom_op_artifacts",
    bridge_abi=BRIDGE_ABI_VERSION,
    override="GE_PY_CUSTOM_OP_ARTIFACT_DIR",
)
_loader = NativeLoader(KIND)


class PrebuiltArtifact(NamedTuple):
    """A set that fits this interpreter; all paths are real and absolute."""

    root: str
    manifest_path: str
    python_tag: str
    platform_tag: str
    abi: int
    native_path: str
    bridge_path: str


def artifacts_root() -> str:
    """The folder that holds the sets of the installed package."""
    return KIND.sets_root


def iter_artifacts(root: Optional[str] = None) -> Iterator[PrebuiltArtifact]:
    """The sets that fit this interpreter, the preferred ones first.

    Args:
        root: the folder to look in, by default that of the package: a set itself, or a folder of sets.
    """
    for artifact in artifact_utils.find_artifacts(KIND, root)[0]:
        yield PrebuiltArtifact(
            root=artifact.root,
            manifest_path=os.path.join(artifact.root, artifact_utils.MANIFEST),
            python_tag=artifact.python_abi,
            platform_tag=artifact_utils.this_platform(),
            abi=BRIDGE_ABI_VERSION,
            native_path=artifact.native,
            bridge_path=artifact.bridge,
        )


def find_prebuilt_artifact() -> Optional[PrebuiltArtifact]:
    """The first of `iter_artifacts`; None if nothing fits."""
    return next(iter_artifacts(), None)


def artifact_dir() -> Optional[str]:
    """Folder of the set in use; None before it is loaded."""
    return _loader.artifact_dir


def ensure_native_module() -> ModuleType:
    """The native module, loaded from the first set that fits if it is not there yet.

    Raises:
        ImportError: no set fits; the text says what was searched, what was found and why it was passed over.
    """
    return _loader.ensure()


def load_native_module(path: str) -> ModuleType:
    """Loads the native module that a native host has chosen.

    Args:
        path: the folder of its set, or its file in there.

    Raises:
        ImportError: the set does not fit, or another one is loaded already.
    """
    return _loader.load_chosen(os.path.dirname(path) if os.path.isfile(path) else path)
