"""Settings as keywords: names, units, ranges, defaults and meanings come from the library's own field tables."""

import inspect

from . import _core

_TYPES = {"number": float, "integer": int, "boolean": bool, "string": str, "strings": "list[str]"}


def schema(name):
    """The settings of 'person', 'session', 'session_breath', 'act_session', 'act_task', 'breathe', 'live', 'motion', 'flesh', 'act', 'fit', 'population' or 'learn'.

    A list of dicts: name, type, meaning, and where they apply unit, min, max, choices, default (or derived_default, in words).
    """
    schemas = _core.schemas()
    if name not in schemas:
        raise KeyError(f"no settings '{name}'; there are {', '.join(schemas)}")
    return schemas[name]


def _line(row):
    text = f"    {row['name']}"
    if "unit" in row:
        text += f" [{row['unit']}]"
    text += f": {row['meaning']}"
    facts = []
    if "choices" in row:
        facts.append("one of " + ", ".join(row["choices"]))
    if "min" in row and "max" in row:
        facts.append(f"{row['min']:g} .. {row['max']:g}")
    elif "min" in row:
        facts.append(f"at least {row['min']:g}")
    elif "max" in row:
        facts.append(f"at most {row['max']:g}")
    if row.get("default") not in (None, "", []):
        facts.append(f"default {row['default']}")
    elif "derived_default" in row:
        facts.append(f"default: {row['derived_default']}")
    return text + (f" ({'; '.join(facts)})" if facts else "")


def described(*names, without=()):
    """Gives a function with ``**settings`` a signature and a help text with every keyword of these schemas but those named."""

    def decorate(function):
        rows = [row for name in names for row in schema(name) if row["name"] not in without]
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind != inspect.Parameter.VAR_KEYWORD]
        taken = {p.name for p in own}
        keywords = [
            inspect.Parameter(
                row["name"],
                inspect.Parameter.KEYWORD_ONLY,
                default=row.get("default", None),
                annotation=_TYPES[row["type"]],
            )
            for row in rows
            if row["name"] not in taken
        ]
        function.__signature__ = signature.replace(parameters=own + keywords)
        listed = "\n".join(_line(row) for row in rows if row["name"] not in taken)
        function.__doc__ = f"{inspect.cleandoc(function.__doc__)}\n\nSettings:\n{listed}\n"
        return function

    return decorate
