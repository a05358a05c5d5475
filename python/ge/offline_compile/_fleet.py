"""Many compiles at once: each in a process of its own, on whatever machines an executor reaches."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ge.error import GeError

__all__ = ["CompileJob", "CompileResult", "compile_many", "compile_one"]

_PACKAGE_PARENT = Path(__file__).absolute().parents[2]
_PASS_PATH = "ASCEND_GE_PY_PASS_PATH"
_NOT_RUN = -1
_FAILED = "\nATC run failed"
_ERROR = re.compile(r"^(?:\[ERROR\] (?P<code>\w+): |ERROR: )(?P<message>.*)$", re.M)
_OUTPUT = re.compile(r"^Output +(?P<path>.+) \([^()]*\)(?:: .*)?$", re.M)

OptionValue = Union[str, int, float, bool, None, "os.PathLike[str]"]


@dataclass(frozen=True)
class CompileJob:
    """One model to compile. All paths are those of the machine that runs the job: share a file system, or copy first.

    Attributes:
        model: the .onnx or .air file.
        output: path of the result without suffix.
        options: options of atc by their names, without dashes: ``{"input_shape": "x:1,3", "verify": True}``. True gives the
            option without a value; False and None leave it out. `framework` is taken from the model's suffix unless given.
        passes: files and folders with Python passes; None leaves it to the worker's ASCEND_GE_PY_PASS_PATH.
        env: further environment variables.
        cwd: the folder that relative paths start from; None: that of the worker.
    """

    model: str
    output: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    passes: Optional[Sequence[str]] = None
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Optional[str] = None

    def __post_init__(self) -> None:
        # Plain values: they travel to other processes.
        object.__setattr__(self, "model", os.fspath(self.model))
        object.__setattr__(self, "output", os.fspath(self.output))
        object.__setattr__(self, "options", dict(self.options))
        object.__setattr__(self, "env", {str(k): str(v) for k, v in self.env.items()})
        if self.passes is not None:
            object.__setattr__(self, "passes", tuple(os.fspath(p) for p in self.passes))

    def words(self) -> List[str]:
        """The command line, without the command."""
        words = [f"--model={self.model}", f"--output={self.output}"]
        if "framework" not in self.options:
            words.insert(0, f"--framework={1 if self.model.endswith('.air') else 5}")
        for name, value in self.options.items():
            if value is None or value is False:
                continue
            words.append(f"--{name}" if value is True else f"--{name}={value}")
        return words


@dataclass(frozen=True)
class CompileResult:
    """What became of a job.

    Attributes:
        job: the job.
        status: exit status of atc; -1 if it could not be run, as when a worker was lost.
        code: code of the error ("E10016"); empty after success, and for errors that have none.
        message: the error in one line; empty after success.
        outputs: absolute paths of the files that were written.
        text: everything that atc printed.
        seconds: how long it took, on the machine that ran it.
        host: name of that machine; empty if it could not be run.
    """

    job: CompileJob
    status: int
    code: str = ""
    message: str = ""
    outputs: Tuple[str, ...] = ()
    text: str = field(default="", repr=False)
    seconds: float = 0.0
    host: str = ""

    @property
    def ok(self) -> bool:
        """Whether the result is there."""
        return self.status == 0

    def raise_if_failed(self) -> CompileResult:
        """Itself after success.

        Raises:
            ge.error.GeError: the job failed; `code` has the compiler's code.
        """
        if self.ok:
            return self
        error = GeError(
            f"compiling '{self.job.model}' failed: {self.message}",
            self.message,
            "CompileMany",
            {"model": self.job.model, "output": self.job.output},
        )
        error.code = self.code
        raise error


def _environment(job: CompileJob) -> Dict[str, str]:
    environment = {**os.environ, **job.env}
    # Last: the package must be found, but hide nothing.
    environment["PYTHONPATH"] = os.pathsep.join(
        [*filter(None, [environment.get("PYTHONPATH", "")]), str(_PACKAGE_PARENT)]
    )
    if job.passes is not None:
        environment[_PASS_PATH] = os.pathsep.join(job.passes)
        if not job.passes:
            del environment[_PASS_PATH]
    return environment


def compile_one(job: CompileJob, timeout: Optional[float] = None) -> CompileResult:
    """Runs a job in a new process on this machine: its passes, its memory and a crash are that process's own.

    Args:
        job: what to compile.
        timeout: seconds after which the process is ended.

    Returns:
        The result; a failure is a result, too.
    """
    start = time.monotonic()
    host = socket.gethostname()
    try:
        done = subprocess.run(
            # Not ge.pyatc: a `ge` of somebody else may come first on the path.
            [sys.executable, "-m", "ge_atc", *job.words()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=_environment(job),
            cwd=job.cwd,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as error:
        text = (error.stdout or b"").decode("utf-8", "replace")
        message = f"took longer than {timeout:g} s and was ended; give it more time"
        return CompileResult(job, _NOT_RUN, "", message, (), text, time.monotonic() - start, host)
    except OSError as error:
        message = f"cannot run '{sys.executable} -m ge_atc': {error}; give a folder that exists as cwd"
        return CompileResult(job, _NOT_RUN, "", message, (), "", time.monotonic() - start, host)
    text = done.stdout.decode("utf-8", "replace")
    seconds = time.monotonic() - start
    if done.returncode == 0:
        outputs = tuple(match["path"] for match in _OUTPUT.finditer(text))
        return CompileResult(job, 0, "", "", outputs, text, seconds, host)
    # What passes print comes before.
    found = _ERROR.search(text, max(text.rfind(_FAILED), 0))
    if found:
        return CompileResult(
            job, done.returncode, found["code"] or "", found["message"], (), text, seconds, host
        )
    how = (
        f"was ended by signal {-done.returncode}"
        if done.returncode < 0
        else f"ended with status {done.returncode}"
    )
    return CompileResult(job, done.returncode, "", f"atc {how} and gave no reason", (), text, seconds, host)


def _as_job(job: Any) -> CompileJob:
    if isinstance(job, CompileJob):
        return job
    if isinstance(job, Mapping):
        return CompileJob(**job)
    if isinstance(job, Sequence) and not isinstance(job, str) and len(job) == 2:
        return CompileJob(*job)
    raise TypeError(
        f"a job must be a CompileJob, a mapping of its fields or (model, output), got '{type(job).__name__}'"
    )


def _submit(executor: Executor, job: CompileJob, timeout: Optional[float]) -> Future[CompileResult]:
    try:
        return executor.submit(compile_one, job, timeout)
    except Exception as error:
        # One that lost its workers, or was shut down, refuses what comes after.
        failed: Future[CompileResult] = Future()
        failed.set_exception(error)
        return failed


def _result_of(job: CompileJob, future: Future[CompileResult]) -> CompileResult:
    try:
        return future.result()
    except Exception as error:
        # The executor's own trouble, such as a worker that died.
        message = f"the executor could not run it: {type(error).__name__}: {error}"
        return CompileResult(job, _NOT_RUN, "", message)


def compile_many(
    jobs: Iterable[Union[CompileJob, Mapping[str, Any], Tuple[str, str]]],
    executor: Optional[Executor] = None,
    *,
    timeout: Optional[float] = None,
) -> List[CompileResult]:
    """Compiles many models, as many at once as the executor runs.

    Args:
        jobs: `CompileJob`, mappings of its fields, or pairs (model, output).
        executor: any `concurrent.futures.Executor`: threads and processes of the standard library, Dask's
            `client.get_executor()`, Ray's, mpi4py's `MPIPoolExecutor`. It stays open. None: a thread for each CPU of this machine.
        timeout: seconds after which a single compile is ended.

    Returns:
        A result for each job, in the order of the jobs. A job that fails does not touch the others.

    Raises:
        TypeError: an item is no job.

    Example:
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> with ThreadPoolExecutor(4) as pool:  # doctest: +SKIP
        ...     for result in compile_many([("a.onnx", "out/a"), ("b.onnx", "out/b")], pool):
        ...         print(result.job.model, result.ok, result.message)
    """
    wanted = [_as_job(job) for job in jobs]
    if executor is None:
        with ThreadPoolExecutor(max(1, min(len(wanted), os.cpu_count() or 1))) as own:
            return compile_many(wanted, own, timeout=timeout)
    futures: List[Future[CompileResult]] = []
    results: List[CompileResult] = []
    try:
        for job in wanted:
            futures.append(_submit(executor, job, timeout))
        results = [_result_of(job, future) for job, future in zip(wanted, futures)]
    finally:
        for future in futures[len(results) :]:
            future.cancel()
    return results
