"""``atc``, ``python -m ge.pyatc``: one compile in this process, then the process ends with its exit status."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import List, NoReturn, Optional, Sequence

from ge._internal import custom_ops

__all__ = ["main"]

_LIBRARY = Path(__file__).absolute().parent.parent / "lib" / "libge_compiler.so"
_FAILURE = 255
_INTERRUPTED = 130  # as a shell reports SIGINT
_HOST_HAS_PASSES = 1
_HOST_HAS_CUSTOM_OPS = 2


class _Host(ctypes.Structure):
    """``ge_atc_host_t`` of ge/c/ge_atc.h."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("python_executable", ctypes.c_char_p),
    ]


def _command_line(cmdline_argv0: Optional[str], args: Optional[Sequence[str]]) -> List[str]:
    if cmdline_argv0 is not None:
        return [cmdline_argv0, *(sys.argv[1:] if args is None else args)]
    argv0 = sys.argv[0] if sys.argv else ""
    if argv0.endswith("__main__.py"):
        argv0 = f"{sys.executable} -m ge.pyatc"
    return [argv0, *(sys.argv[1:] if args is None else args)]


def _has_registered_passes() -> bool:
    """Whether this process registered passes by itself; asking does not import the registry."""
    registry = sys.modules.get("ge.passes.registry")
    return registry is not None and bool(registry.get_registered_passes())


def _write_lines_at_once() -> None:
    # The compiler writes to the same file descriptors: what passes print must not come after it.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(line_buffering=True)
            stream.flush()


def _run(words: Sequence[str]) -> int:
    try:
        # The helper modules and the bridge are linked against this very file, so the process has one copy of it.
        library = ctypes.CDLL(str(_LIBRARY))
    except OSError as error:
        print(
            f"[ERROR] E13001: cannot load the compiler '{_LIBRARY}': {error}; "
            f"install the wheel of ge-py for this machine, which is '{os.uname().machine}'",
            file=sys.stderr,
        )
        return _FAILURE
    run = library.ge_atc_run
    run.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(_Host)]
    run.restype = ctypes.c_int
    encoded = [word.encode("utf-8", "surrogateescape") for word in words]
    argv = (ctypes.c_char_p * len(encoded))(*encoded)
    host = _Host(
        ctypes.sizeof(_Host),
        (_HOST_HAS_PASSES if _has_registered_passes() else 0)
        | (_HOST_HAS_CUSTOM_OPS if custom_ops.are_registered() else 0),
        os.fsencode(sys.executable) if sys.executable else None,
    )
    return int(run(len(encoded), argv, ctypes.byref(host)))


def main(cmdline_argv0: Optional[str] = None, args: Optional[Sequence[str]] = None) -> NoReturn:
    """Runs atc with one command line and ends the process.

    Args:
        cmdline_argv0: Name of the command in the texts; None: that of this process.
        args: The words after the name; None: those of this process.

    Raises:
        SystemExit: Always. Status 0 after success, 255 after a failure, 130 after Ctrl-C.

    Example:
        >>> main("atc", ["--framework=5", "--model=m.onnx", "--output=out/m"])  # doctest: +SKIP
    """
    try:
        _write_lines_at_once()
        status = _run(_command_line(cmdline_argv0, args))
    except KeyboardInterrupt:
        status = _INTERRUPTED
    sys.exit(status)


if __name__ == "__main__":
    main()
