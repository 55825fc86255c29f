"""Kernels: functions that are compiled when they are first called, with all that they call, and then kept on disk.

Nothing is compiled, and numba is not imported, before the first call. `specialising` says how this is kept short.
Run with NUMBA_DISABLE_JIT=1, every kernel is the plain Python function.

Little work is not worth it: a kernel whose results do not depend on the order of a sum gives the same bits uncompiled,
and `briefly` runs it so until it has had some work to do. The smallest tables are learned from without numba.

Compiling takes seconds, once on each machine. `report_to` sets who is told about it; by default, a line on standard
error appears at a prompt or in a notebook, unless ROSENBLATT_QUIET is set.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

FIRST, AGAIN = 1.0, 5.0  # seconds of compiling before anything is said, and until it is said again
OFTEN = 0.1  # seconds until it is looked whether there is anything to say
TINY, LITTLE = 10_000, 200_000  # numbers that plain Python reads sooner than a kernel is loaded, and compiled
QUIET = "ROSENBLATT_QUIET"  # an environment variable; if it is set, nothing is printed at a prompt

_OPTIONS = {"nogil": True, "_nrt": False}
_plain = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
_lock = threading.RLock()
_own = threading.local()
_hooks: list[Callable[[], None]] = []
_begun = _all = False


class Kernel:
    """A function that is compiled when it is first called, from Python or by another kernel."""

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Any],
        kinds: Mapping[type, Callable[..., Any]] = MappingProxyType({}),
    ) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._options, self._kinds = options, kinds
        self.numbers = 0.0  # that plain Python has read in its place

    def __call__(self, *args: Any) -> Any:
        """Run it, compiled, unless what calls it is run uncompiled."""
        return self.py_func(*args) if getattr(_own, "plain", False) else self.dispatcher(*args)

    def plainly(self, *args: Any) -> Any:
        """Run it uncompiled, and what it calls; compiled code does not warn of overflows either."""
        _own.plain = True
        try:
            with np.errstate(all="ignore"):
                return self.py_func(*args)
        finally:
            _own.plain = False

    @cached_property
    def _was_kept(self) -> bool:
        return bool(self.dispatcher.is_kept)

    @property
    def is_at_hand(self) -> bool:
        """Whether it is compiled, or was on disk when this was first asked."""
        return self._was_kept or bool(self.dispatcher.overloads)

    def __getattr__(self, name: str) -> Any:
        if name != "dispatcher":  # made on first use; from then on it is an attribute
            raise AttributeError(name)
        begin()
        with _lock:
            if "dispatcher" not in self.__dict__:
                from rosenblatt.rows.specialising import dispatcher_of

                self.dispatcher = dispatcher_of(self.py_func, self._options, self._kinds)
        return self.__dict__["dispatcher"]

    @property
    def _numba_type_(self) -> Any:
        """How numba knows it where another kernel calls it."""
        return self.dispatcher._numba_type_


class Direct(Kernel):
    """A kernel that Python calls for every single row: from its first call on, its name stands for compiled code."""

    def __call__(self, *args: Any) -> Any:
        """Run it, compiled, and let the next call find it without a detour."""
        setattr(sys.modules[self.__module__], self.__name__, self.dispatcher)
        return self.dispatcher(*args)


class ChosenByKind(Kernel):
    """A function of which kernels call one of several, by the kind of its first argument; Python calls the function."""

    def __call__(self, *args: Any) -> Any:
        """Run it, uncompiled."""
        return self.py_func(*args)


def compiled(function: F, **options: Any) -> F:
    """Compile, release the interpreter lock while running, and keep the result on disk where that is possible.

    Kernels allocate nothing, so numba's reference counting is off: in small functions it costs more than the work.
    """
    return function if _plain else cast(F, Kernel(function, _OPTIONS | options))


def inlined(function: F) -> F:
    """Compile a part of a hot loop: a call would cost more than its work."""
    return compiled(function, forceinline=True)


def any_order(function: F) -> F:
    """Compile a sum whose order does not matter, because its rounding error is bounded for every order."""
    return compiled(function, forceinline=True, fastmath={"reassoc", "contract", "nsz"})


def compile_all(wanted: bool = True) -> bool:
    """From now on, compile kernels for the least work, too, or no longer; returns whether it was so before."""
    global _all
    before, _all = _all, wanted
    return before


def briefly(kernel: F, numbers: float) -> F:
    """The kernel, or the same code uncompiled while it has had few `numbers` to read and is not compiled yet.

    Only for kernels whose results are the same bits in either case.
    """
    if not isinstance(kernel, Kernel):
        return kernel
    kernel.numbers += numbers
    if _all or kernel.numbers > LITTLE or (kernel.numbers > TINY and kernel.is_at_hand):
        return kernel
    return cast(F, kernel.plainly)


def brief_rows(kernel: Any, numbers: float, least: int) -> int:
    """How many rows of this many numbers `briefly` would read uncompiled; 0 if fewer than `least`."""
    if _all or not isinstance(kernel, Kernel):
        return 0
    for most in (TINY, LITTLE):
        if (rows := int((most - kernel.numbers) / numbers)) >= least:
            return rows if most == TINY or not kernel.is_at_hand else 0
    return 0


def direct(function: F) -> F:
    """Compile what Python calls for every single row, and no kernel does."""
    return function if _plain else cast(F, Direct(function, _OPTIONS))


def chosen_by_kind(kinds: Mapping[type, Callable[..., Any]]) -> Callable[[F], F]:
    """Compile what belongs to the kind of the first argument, a named tuple, in place of the function itself."""

    def made(function: F) -> F:
        return function if _plain else cast(F, ChosenByKind(function, _OPTIONS | {"forceinline": True}, kinds))

    return made


def when_compiling(hook: Callable[[], None]) -> Callable[[], None]:
    """Call this before anything is compiled: it may import numba and register extensions with it."""
    with _lock:
        if _begun:
            hook()
        else:
            _hooks.append(hook)
    return hook


def begin() -> None:
    """Import what compiles."""
    global _begun
    if _begun or _plain:
        return
    with not_counted(), _lock:
        if not _begun:
            import rosenblatt.rows.specialising  # noqa: F401

            for hook in _hooks:
                hook()
            _begun = True


# ---------------------------------------------------------------------------------------------------------
# How long it takes
# ---------------------------------------------------------------------------------------------------------


def seconds_lost() -> float:
    """How long this thread has waited, so far, for kernels to be compiled or loaded."""
    return float(getattr(_own, "seconds", 0.0))


def start() -> None:
    """From now on this thread waits for a kernel; it may say so again while it does."""
    _own.depth = getattr(_own, "depth", 0) + 1
    if _own.depth == 1:
        _own.begun = time.monotonic()


def end() -> None:
    """It waits no longer, once it has said so as often."""
    if not getattr(_own, "depth", 0):  # it was begun before anyone listened
        return
    _own.depth -= 1
    if _own.depth == 0:
        _own.seconds = seconds_lost() + time.monotonic() - _own.begun


@contextmanager
def not_counted() -> Iterator[None]:
    """What is done within this is waiting."""
    start()
    try:
        yield
    finally:
        end()


# ---------------------------------------------------------------------------------------------------------
# Reporting it
# ---------------------------------------------------------------------------------------------------------


def _at_a_prompt(text: str) -> None:
    """On standard error, where a person waits for it."""
    if text and (hasattr(sys, "ps1") or "ipykernel" in sys.modules) and not os.environ.get(QUIET):
        print(f"rosenblatt: {text}", file=sys.stderr, flush=True)


class Progress:
    """How much has been compiled, and whom to tell."""

    def __init__(self) -> None:
        self.tell: Callable[[str], None] | None = _at_a_prompt
        self.expected = 0  # kernels that will be wanted, about
        self.ready = 0  # those that were compiled, or loaded
        self.seconds = 0.0
        self.again = AGAIN
        self.lost = ""  # why compiled code cannot be kept
        self.folder = ""  # where it is kept
        self._since: float | None = None
        self._watching = False

    def __str__(self) -> str:
        far = (
            f"{self.ready + 1} of about {max(self.expected, self.ready + 1)}"
            if self.expected
            else f"{self.ready} so far"
        )
        how_often = f"again in every process, because {self.lost}" if self.lost else "once for each kind of work"
        return f"compiling for this processor, {how_often}: {far}, {self._spent():.0f} s"

    def _spent(self) -> float:
        since = self._since
        return self.seconds + (time.monotonic() - since if since is not None else 0.0)

    def start(self) -> None:
        """A kernel is being compiled from now on."""
        self._since = time.monotonic()
        if self.tell and not self._watching:
            self._watching = True
            threading.Thread(target=self._watch, name="rosenblatt compiling", daemon=True).start()

    def end(self) -> None:
        """It is compiled."""
        self.seconds, self._since = self._spent(), None

    def _watch(self) -> None:
        """Tell how far it is while anything is being compiled; then, that nothing is."""
        idle = said = 0.0
        while idle < AGAIN and (tell := self.tell) is not None:
            time.sleep(OFTEN)
            idle = 0.0 if self._since is not None else idle + OFTEN
            if idle == 0.0 and self._spent() >= FIRST and time.monotonic() - said > self.again:
                tell(str(self))
                said = time.monotonic()
            elif idle == OFTEN and said:
                tell("")
        self._watching = False


progress = Progress()


def report_to(tell: Callable[[str], None] | None, expected: int = 0, again: float = AGAIN) -> None:
    """From now on, call `tell` with a line after a second of compiling, and again every `again` seconds; None: never.

    When compiling has ended, it is called with an empty line.
    """
    progress.tell, progress.expected, progress.again = tell, expected, again
