"""Makes nanobind's backend importable as ``nanobind_backend`` on CPython 3.9.

The native modules take the interpreter-specific half of nanobind from that module. On 3.10 and later it comes from the
package nanobind-backend; for 3.9 there is none, and this wheel brings one along.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import threading

_NAME = "nanobind_backend"
_lock = threading.Lock()


def ensure() -> None:
    """Makes ``import nanobind_backend`` work on 3.9; does nothing on later versions or when it is there already.

    Raises:
        ImportError: This is 3.9 and the package was built without the backend for it.
    """
    if sys.version_info[:2] != (3, 9):
        return
    with _lock:
        if _NAME in sys.modules:
            return
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_backend_cp39")
        path = os.path.join(folder, _NAME + importlib.machinery.EXTENSION_SUFFIXES[0])
        if not os.path.isfile(path):
            raise ImportError(
                f"Loading nanobind's backend for Python 3.9: expected the file '{path}', found no such file; install a "
                "wheel of ge-py tagged 'cp39-abi3', or use Python 3.10 or later",
                name=_NAME,
                path=path,
            )
        loader = importlib.machinery.ExtensionFileLoader(_NAME, path)
        spec = importlib.util.spec_from_file_location(_NAME, path, loader=loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        sys.modules[_NAME] = module
