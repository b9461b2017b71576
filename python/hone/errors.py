"""What can go wrong. Every message says what was wrong, which value, and what to do."""

from __future__ import annotations


class Error(Exception):
    """The base of all errors that hone raises by itself."""

    place: str = ""  #: the argument, option or file that is wrong, such as ``epsilon``, if it is one
    value: str = ""  #: what was given there


class InputError(Error, ValueError):
    """A value that the caller can correct; refused before any work is done."""


class FileError(Error, OSError):
    """A file could not be read or written: permissions, a full disk, a damaged file."""


class SimulatorError(Error, RuntimeError):
    """The simulator failed more often than it may.

    ``__cause__`` is the last exception that the simulator raised, if it raised one.
    """


class NumericalError(Error, ArithmeticError):
    """A computation has no usable answer."""


class Interrupted(Error):
    """The work was stopped; everything finished is saved."""
