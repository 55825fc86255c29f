"""How numba compiles kernels: with few specialisations, the parts of a kernel only within it, and kept on disk.

Every specialisation makes a user's first run longer. These rules keep it short:

- A function that kernels call is a *part*: it is translated once for each set of argument types, and is optimised and
  turned into machine code only within the kernels that call it. Python cannot call it, and it is not kept by itself.
- Parts take int64 for every signed int, and never a literal: numba would compile a function for the 0 that a
  loop begins with, then again for what the loop goes on with.
- Kernels that Python calls are kept on disk. Their stamp is a hash of all sources: no kernel outlives a change of its
  parts, and a copy of the package whose files have other dates need not be compiled again.

The garbage collector rests meanwhile: it would look through numba's many small objects again and again.
"""

# mypy: allow-untyped-calls

import gc
import os
import pickle
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import types
from numba.core import config, event
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

from rosenblatt.rows import compiling
from rosenblatt.rows.compiling import progress

UNREADABLE = (  # what loading says of what is there: it is damaged, or an earlier version's, with other names
    AttributeError,
    EOFError,
    ImportError,
    pickle.UnpicklingError,
    ValueError,
)


class _PartCode(JITCodeLibrary):
    """The code of a part: what optimises and finishes code is left to the kernels that it becomes a part of."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _PartCompiler(Compiler):
    """Compiles no further than parts need."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, returned: Any, flags: Any, names: Any
    ) -> None:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().__init__(typing, target, _PartCode(target.codegen(), "part"), args, returned, flags, names)


class _Part(CPUDispatcher):
    """A function as other kernels call it."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:  # noqa: A002
        super().__init__(py_func, locals, targetoptions, _PartCompiler)

    def add_overload(self, cres: Any) -> None:
        cres = cres._replace(entry_point=object())  # what callers know it by; there is no address yet
        self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres


def _of_one_kind(argument: Any) -> Any:
    """The type for which a part is compiled, given that of an argument."""
    argument = types.unliteral(argument)
    return types.int64 if isinstance(argument, types.Integer) and argument.name.startswith("int") else argument


class _Kernel(CPUDispatcher):
    """A function as Python calls it; those that are compiled are given its part."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:  # noqa: A002
        super().__init__(py_func, locals, targetoptions | {"no_cfunc_wrapper": True})
        self._part = _Part(py_func, locals, targetoptions)

    def _compilation_chain_init_hook(self) -> None:
        """Nothing: kernels know no types of other packages."""

    def choose(self, kinds: Mapping[type, Any]) -> None:
        """Where other kernels call it, compile what belongs to the kind of the first argument, if there is any."""
        if kinds:
            compiler: Any = vars(self._part)["_compiler"]
            compiler._get_implementation = lambda args, _: kinds[args[0].instance_class]

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self._part.get_call_template(tuple(_of_one_kind(each) for each in args), kws)

    def get_overload(self, sig: Any) -> Any:
        return self._part.get_overload(sig)

    def add_overload(self, cres: Any) -> None:
        super().add_overload(cres)
        progress.ready += 1

    @property
    def is_kept(self) -> bool:
        """Whether some specialisation is on disk."""
        return isinstance(self._cache, _Kept) and self._cache.is_there

    def enable_caching(self) -> None:
        try:
            self._cache = _Kept(self.py_func)
        except RuntimeError:  # no folder for the cache can be written
            progress.lost = "no folder for it can be written (NUMBA_CACHE_DIR names one)"


class _Kept(FunctionCache):
    """Compiled code on disk. Whatever is wrong there, a kernel can be compiled."""

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        self._cache_file._source_stamp = _STAMP
        progress.folder = os.path.dirname(self.cache_path)

    @property
    def is_there(self) -> bool:
        """Whether there is anything, for these sources."""
        with suppress(Exception):
            return bool(self._cache_file._load_index())
        return False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is there for these types; numba would first import all that it takes to compile, a third of a second."""
        with suppress(Exception):  # cut short, or written by something else
            return self._load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            try:
                super().save_overload(sig, data)
            except UNREADABLE:
                self.flush()
                super().save_overload(sig, data)
        except OSError as error:  # the folder is full, or has become read-only
            progress.lost = f"{self.cache_path} does not take it ({(error.strerror or str(error)).lower()})"


def _stamp() -> tuple[str, bool]:
    """What compiled code depends on: the sources, and whether indices are checked."""
    home = Path(__file__).parent.parent
    rooms = ("rows", "read", "geometry", "learn")
    sources = sorted(source for room in rooms for source in (home / room).rglob("*.py"))
    digest = sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    return digest, bool(getattr(config, "BOUNDSCHECK", None))


_STAMP = _stamp()


class _Compiling(event.Listener):
    """Whenever a kernel is compiled. One at a time is: numba has a lock."""

    def __init__(self) -> None:
        self._collecting = False

    def on_start(self, what: Any) -> None:
        if isinstance(what.data["dispatcher"], _Kernel):
            self._collecting = gc.isenabled()
            gc.disable()
            progress.start()

    def on_end(self, what: Any) -> None:
        if isinstance(what.data["dispatcher"], _Kernel):
            progress.end()
            if self._collecting:
                gc.enable()


class _Waiting(event.Listener):
    """How long each thread has held numba's compiler lock, or waited for it; the lock is taken again within itself."""

    def on_start(self, _: Any) -> None:
        compiling.start()

    def on_end(self, _: Any) -> None:
        compiling.end()


event.register("numba:compile", _Compiling())
event.register("numba:compiler_lock", _Waiting())


def dispatcher_of(function: Any, options: dict[str, Any], kinds: Mapping[type, Any]) -> Any:
    """What compiles a function and calls it; or in its place, where other kernels call it, one of several."""
    made = _Kernel(function, {}, options | {"nopython": True, "boundscheck": None})
    made.choose(kinds)
    made.enable_caching()
    return made
