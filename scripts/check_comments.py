#!/usr/bin/env python3
"""Functions of 30 lines or more carry a comment that says why: above their head or inside. Names those that do not."""
import pathlib
import re
import sys

LONG = 30  # lines from a function's head to its closing brace
# A head opens a body at the end of its line and has parentheses; what follows are not functions.
HEAD = re.compile(r"^( {0,2})(?! )(?!(?:namespace|struct|class|enum|union|if|for|while|switch|else|do|try|case|return|using)\b)[^#/].*\{$")


def long_functions(lines):
    """Yields (first line, last line, commented) of each long function, lines counted from 1."""
    head = None
    for number, line in enumerate(lines, 1):
        if head is None:
            match = HEAD.match(line)
            if match and (")" in line) and "= {" not in line and not line.rstrip().endswith("({"):
                indent = len(match.group(1))
                first = number
                # A head may take several lines; the comment stands above its first.
                while first > 1 and lines[first - 2].strip() and not re.search(r"[;{}]\s*$|^\s*//|:$|^#", lines[first - 2]):
                    first -= 1
                head = (indent, first)
        elif re.match(rf"^ {{{head[0]}}}\}}", line):
            indent, first = head
            head = None
            if number - first + 1 >= LONG:
                above = first > 1 and lines[first - 2].strip().startswith(("//", "*", "template"))
                inside = any("//" in text for text in lines[first - 1 : number])
                yield first, number, above or inside


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    total, bare = 0, []
    for base in ("include", "src", "apps", "python"):
        for path in sorted((root / base).rglob("*")):
            if path.suffix not in {".h", ".cpp"}:
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            for first, last, commented in long_functions(lines):
                total += 1
                if not commented:
                    bare.append(f"{path.relative_to(root)}:{first}: {last - first + 1} lines without a word why: {lines[first - 1].strip()}")
    print("\n".join(bare) if bare else f"comments: ok, {total} functions of {LONG} lines or more")
    return 1 if bare else 0


if __name__ == "__main__":
    sys.exit(main())
