"""What can go wrong, with everything the library knows about it."""


class InputError(ValueError):
    """Something that was given cannot be used.

    The message has one line for each finding. ``diagnostics`` is the same as a list of dicts with the keys severity, file, line,
    column, subject, field, message, expected, nearest and text; ``file``, ``line`` and ``field`` are those of the first.
    """

    def __init__(self, message, diagnostics=()):
        super().__init__(message)
        self.diagnostics = list(diagnostics)
        first = self.diagnostics[0] if self.diagnostics else {}
        self.file = first.get("file", "")
        self.line = first.get("line", 0)
        self.field = first.get("field", "")


class SimulationError(RuntimeError):
    """A simulation cannot go on: ``time`` [s], ``part`` and ``cause`` say when, where and why. The last good state stays."""

    def __init__(self, message, time=0.0, part="", cause=""):
        super().__init__(message)
        self.time = time
        self.part = part
        self.cause = cause


class InternalError(RuntimeError):
    """A mistake of the library itself: please report it."""
