#!/usr/bin/env python3
"""hostile.py PROGRAM [--count N] [--seed S]: what a careless or malicious user may give the program.

Draws N inputs (options, signals, clips, poses, meshes, bodies, environments, odd places, closed streams, two runs at once, little
memory or disk, folders and devices for files, spreadsheets, damaged runs) by a fixed seed and holds the program to its contract:
it ends by itself with 0, 1 or 2, never by a signal or an internal error; bad input is answered in a few readable lines and leaves
no output behind; no number it writes is NaN or infinite.
"""
import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hostile_inputs import Inputs

SECONDS = 400  # of one input, on a busy machine that has to make its geometry first; most take one


def bad_numbers(path):
    """Numbers in a file of results that are none."""
    if path.suffix == '.json':
        try:
            json.loads(path.read_text(), parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))
        except ValueError as error:
            return str(error)
    elif path.suffix in ('.csv', '.toml', '.xml', '.obj'):
        found = re.search(r'(?<![\w.])[+-]?(?:nan|inf)(?![\w])', path.read_text(errors='replace'), re.I)
        return found and found.group()
    return None


def contents(top):
    """What lies at a path: names with sizes and times, links as links."""
    def seen(path):
        state = path.lstat()
        return str(path), state.st_mode, state.st_size, state.st_mtime_ns
    if not os.path.lexists(top):
        return set()
    return {seen(top), *(seen(p) for p in top.rglob('*'))} if top.is_dir() else {seen(top)}


def start(program, given, arguments, folder):
    """The program, begun, with streams as the input wants them."""
    surroundings = {**os.environ, **given.environment}
    surroundings = {name: value for name, value in surroundings.items() if value is not None}
    streams = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE}
    streams.update({name: open('/dev/full', 'r+b', buffering=0) for name, how in given.streams.items() if how == 'full'})
    closed = [('stdin', 'stdout', 'stderr').index(name) for name, how in given.streams.items() if how == 'closed']
    if given.feed:
        reader, writer = os.pipe()
        os.write(writer, given.feed)  # no more than a pipe holds
        os.close(writer)
        streams['stdin'] = reader

    def before():
        for name, most in given.limits.items():
            resource.setrlimit(getattr(resource, f'RLIMIT_{name}'), (most, most))
        for stream in closed:
            os.close(stream)
    process = subprocess.Popen([program, *arguments], env=surroundings, cwd=folder, preexec_fn=before, **streams)
    if given.feed:
        os.close(streams['stdin'])
    return process


def wrong_answer(given, arguments, code, out, said):
    """What one program's end has against the contract."""
    wrong = []
    if code not in (0, 1, 2):
        wrong.append(f'it ends with {code}')
    if 'internal error' in said.lower():
        wrong.append('it calls its error an internal one')
    if code != 0 and not said.strip() and 'stderr' not in given.streams:
        wrong.append('it fails without a word')
    if re.search(r'[\x00-\x08\x0b-\x1f\x7f]', said.replace('\r', '')):
        wrong.append('control codes reach the terminal')
    if code == 2 and len(said.strip().splitlines()) > 20:
        wrong.append(f'its answer has {len(said.splitlines())} lines')
    if code == 0 and given.streams.get('stdout') == 'full':
        wrong.append('what it could not print is a success')
    if code == 0 and '--json' in arguments and '--help' not in arguments and 'stdout' not in given.streams:
        try:
            json.loads(out, parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))
        except ValueError as error:
            wrong.append(f'its JSON: {error}')
    return wrong


def broken_promises(program, given, out, folder):
    """Exit codes of the program, what it did against its contract, and its last words."""
    arguments = given.arguments
    for word, path in (('{out}', f'{out}{given.out}'), ('{missing}', folder / 'absent'), ('{mesh}', folder / 'tetrahedron.obj')):
        arguments = [a.replace(word, str(path)) for a in arguments]
    given.prepare(out)
    before = contents(folder)
    running = [start(program, given, arguments, folder) for _ in range(given.at_once)]
    codes, wrong, said = [], [], ''
    for process in running:
        try:
            printed, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            codes.append('none')
            wrong.append('it does not end')
            continue
        said = (errors or b'').decode(errors='replace')
        codes.append(process.returncode)
        wrong += wrong_answer(given, arguments, process.returncode, printed, said)
    after = contents(folder)
    if all(code == 2 for code in codes) and not given.goes_on and {a for a in after if a[0] != str(folder)} != {b for b in before if b[0] != str(folder)}:
        wrong.append('bad input leaves output behind')
    if any(name.endswith('thesis.txt') for name, *_ in before - after):
        wrong.append("a file of the user's own is gone")
    for name, *_ in after - before:
        file = Path(name)
        if file.is_file() and (word := bad_numbers(file)):
            wrong.append(f'{file.name} holds {word}')
    return codes, wrong, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('--count', type=int, default=60)
    parser.add_argument('--seed', type=int, default=1)
    given = parser.parse_args()
    program = str(Path(given.program).resolve())
    kinds, codes, failures = {}, {}, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / 'tetrahedron.obj').write_text('v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n')
        inputs = Inputs(program, folder, given.seed)
        for index in range(given.count):
            drawn = inputs.one()
            if '\0' in ''.join(drawn.arguments) + ''.join(value or '' for value in drawn.environment.values()):
                continue  # no system lets such a word through
            ended, wrong, said = broken_promises(program, drawn, folder / f'out{index}', folder)
            kind = drawn.what.split()[0]
            kinds[kind] = kinds.get(kind, 0) + 1
            for code in ended:
                codes[code] = codes.get(code, 0) + 1
            if wrong:
                failures += 1
                print(f'{index}: {drawn.what}: {"; ".join(wrong)}\n  {ascii(drawn.arguments)[:400]} {ascii(drawn.environment)[:200]} {drawn.out!a} {drawn.streams}\n  {ascii(said[-300:])}', flush=True)
            for path in [*folder.glob('out*'), *folder.glob('input*_body')]:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    print(f'{sum(kinds.values())} inputs, by kind {kinds}, by exit code {dict(sorted(codes.items(), key=str))}: {failures} break the contract')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
