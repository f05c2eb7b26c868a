"""Exceptions and warnings. The message of each is one line, with the file, line or row it is about."""


class Error(Exception):
    """Every failure of neardup. Each status of the C library has a class of its own below it."""


class ArgumentError(Error, ValueError):
    """An argument is out of range or does not fit another one. The message names it."""


class OutOfMemoryError(Error, MemoryError):
    """The memory, or the limit given as ``memory``, is too small."""


class StorageError(Error, OSError):
    """A file or directory cannot be read or written."""


class InputError(Error, ValueError):
    """A document is bad: its text is null or not UTF-8, or its file has a malformed record."""


class UnsupportedError(Error, NotImplementedError):
    """This build lacks a library that the call needs. The message names it."""


class CancelledError(Error):
    """A callback has stopped the call."""


class CorruptError(Error):
    """A file of an index or a stream is damaged. The message names it."""


class BusyError(Error):
    """Another process or thread changes the index, or uses a handle that only one thread may use."""


class DataWarning(UserWarning):
    """A problem of the data that does not stop a job, such as a skipped record or a repeated id."""


for _class in list(globals().values()):
    if isinstance(_class, type):
        _class.__module__ = "neardup"
del _class
