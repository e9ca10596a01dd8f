"""A bar for long work: one line that is written over in notebooks and on terminals, nothing elsewhere."""

import sys
import time


def _in_notebook():
    shell = sys.modules.get("IPython")
    instance = shell.get_ipython() if shell and hasattr(shell, "get_ipython") else None
    return instance is not None and instance.__class__.__name__ == "ZMQInteractiveShell"


class Bar:
    """Shows ``title  43 %  12.3 of 28.6, 5 s left``; erased at the end."""

    def __init__(self, stream=None):
        self._stream = stream or sys.stderr
        self._began = time.monotonic()
        self._title = None
        self._width = 0

    def __call__(self, title, done, total):
        if title != self._title:
            self._title, self._began = title, time.monotonic()
        finished = total > 0 and done >= total
        text = "" if finished else self._text(done, total)
        self._stream.write("\r" + text.ljust(self._width) + ("\r" if finished else ""))
        self._stream.flush()
        self._width = len(text)

    def _text(self, done, total):
        if total <= 0:
            return f"{self._title}  {done:.4g}"
        share = done / total
        left = ""
        if share > 0.02:
            seconds = (time.monotonic() - self._began) * (1 - share) / share
            left = f", {seconds:.0f} s left"
        filled = round(24 * share)
        return f"{self._title}  [{'#' * filled}{'.' * (24 - filled)}] {100 * share:3.0f} %  {done:.4g} of {total:.4g}{left}"


def chosen(progress):
    """What ``progress=`` means: None a bar where somebody looks, False nothing, True a bar, or a function (title, done, total)."""
    if progress is None:
        progress = _in_notebook() or sys.stderr.isatty()
    if progress is True:
        return Bar()
    if progress is False:
        return None
    if not callable(progress):
        raise TypeError("progress: True, False, None or a function (title, done, total)")
    return progress
