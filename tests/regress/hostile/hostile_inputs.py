"""What a careless or malicious user may give the program, drawn by a seed."""
import math
import os
import random
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parents[3]


@dataclass
class Input:
    """One command with what surrounds it. {out} in a word is a path that the judge looks after."""
    what: str
    arguments: list
    environment: dict = field(default_factory=dict)  # None takes a variable away
    out: str = ''  # how the name of {out} goes on
    prepare: Callable = lambda out: None  # what lies at {out} before
    streams: dict = field(default_factory=dict)  # closed, or to a file that takes nothing
    at_once: int = 1  # programs with the same words at once
    limits: dict = field(default_factory=dict)  # what the system lets a process have: names of resource.RLIMIT_...
    feed: bytes = b''  # what comes through the standard input
    goes_on: bool = False  # a run that lies at {out} already, or whose disk fills up, may leave what it did so far


# Runs that end at once when the hostile value turns out to be allowed. {out} is a folder that does not exist yet.
RUNS = {
    'breathe': ['breathe', '--seconds', '0.05', '--no-output'],
    'breathe.csv': ['breathe', '--seconds', '0.1', '--csv', '{out}'],
    'live': ['live', '--seconds', '0.05', '--skin-triangles', '0'],
    'act': ['act', 'hold', '--seconds', '0.02', '--no-pictures', '--out', '{out}'],
    'move': ['move', '--activations', 'rest', '--seconds', '0.05', '--no-scene', '--no-pictures', '--out', '{out}'],
    'muscle': ['muscle', '--seconds', '0.02', '--no-video', '--out', '{out}'],
    'body info': ['body', 'info'],
    'body export': ['body', 'export', '--format', 'mjcf', '--out', '{out}'],
    'population': ['population', '--people', '0', '--out', '{out}'],
    'learn': ['learn', '{missing}', '--out', '{out}'],
    'perform': ['perform', '--model', '{missing}', '--out', '{out}'],
    'fit': ['fit', '{missing}', '--out', '{out}'],
    'render': ['render', '{mesh}', '--width', '16', '--height', '16', '--samples', '1', '--out', '{out}.png'],
    'curves': ['curves', '--out', '{out}'],
}
VALUES = ['nan', 'inf', '-inf', '1e309', '-1', '-0', '1e-320', '', ' ', 'abc', '5,9', '0x', '1e', '1.2.3', '9' * 40, 'A' * 5000, '\x1b[31mred', '%s%n%n',
          '../' * 40 + 'etc/passwd', '/dev/full/x', '/proc/self/mem', '∞', '٣', '５', '1 m', '1;2', '--', '-', '=', '{}', '"', "'", '\t', '\n', 'NULL', '\udcff']
# A value that is allowed would only run long.
SLOW = {'--seconds', '--refine', '--resume', '--people', '--flesh', '--asset', '--threads'}


def whole_clip():
    """A BVH clip of a whole body, three frames."""
    count = 0

    def joint(depth, name, offset, *children):
        nonlocal count
        count += 1
        pad = ' ' * depth
        channels = 'CHANNELS 3 Zrotation Xrotation Yrotation' if depth else 'CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation'
        inner = ''.join(joint(depth + 1, *child) for child in children) or f'{pad} End Site\n{pad} {{\n{pad}  OFFSET 0 5 0\n{pad} }}\n'
        return f'{pad}{"JOINT" if depth else "ROOT"} {name}\n{pad}{{\n{pad} OFFSET {offset}\n{pad} {channels}\n{inner}{pad}}}\n'

    def arm(side, x):
        return (side + 'Shoulder', f'{x} 20 0', (side + 'Arm', f'{12 * x} 0 0', (side + 'ForeArm', f'{28 * x} 0 0', (side + 'Hand', f'{25 * x} 0 0'))))

    def leg(side, x):
        return (side + 'UpLeg', f'{9 * x} -5 0', (side + 'Leg', '0 -42 0', (side + 'Foot', '0 -42 0', (side + 'ToeBase', '0 -5 12'))))

    tree = joint(0, 'Hips', '0 0 0', leg('Left', 1), leg('Right', -1),
                 ('Spine', '0 10 0', ('Spine1', '0 15 0', arm('Left', 1), arm('Right', -1), ('Neck', '0 25 0', ('Head', '0 10 0')))))
    frame = '0 95 0 ' + '0 ' * (3 * count) + '\n'
    return f'HIERARCHY\n{tree}MOTION\nFrames: 4\nFrame Time: 0.033\n' + 4 * frame


class Inputs:
    """Draws inputs; each is (what it is, arguments, environment)."""

    def __init__(self, program, folder, seed):
        self.program, self.folder, self.draw = program, folder, random.Random(seed)
        self.options = {}
        self.files = 0

    def path(self, suffix):
        self.files += 1
        return self.folder / f'input{self.files}{suffix}'

    def option_names(self, run):
        verb = run.split('.')[0].split()
        if run not in self.options:
            page = subprocess.run([self.program, *verb, '--help'], capture_output=True, text=True, check=True).stdout
            names = re.findall(r'^  (?:-\w,)?(--[a-z-]+) [A-Z]', page, re.M)
            self.options[run] = [n for n in names if n not in SLOW]
        return self.options[run]

    def bad_option(self):
        run = self.draw.choice(list(RUNS))
        name, value = self.draw.choice(self.option_names(run)), self.draw.choice(VALUES)
        return Input(f'{run} {name}', [*RUNS[run], f'{name}={value}' if self.draw.random() < 0.5 else name, *([value] if self.draw.random() < 0.7 else [])])

    def bad_number(self):
        d = self.draw
        return d.choice(['nan', 'inf', '-inf', '1e300', '-1e300', '1e-300', '', 'x', '1,5', '0', '-0.0', '٣', repr(d.uniform(-1e6, 1e6)), '9' * 400])

    def signal(self):
        d = self.draw
        kind = d.choice(['numbers', 'header', 'bytes', 'time', 'wav', 'constant', 'encoding', 'giant'])
        if kind == 'wav':
            head = struct.pack('<4sI4s4sIHHIIHH4sI', b'RIFF', d.choice([0, 36, 2**32 - 1]), b'WAVE', b'fmt ', d.choice([0, 16, 18, 2**31]),
                               d.choice([0, 1, 3, 65534]), d.choice([0, 1, 2, 65535]), d.choice([0, 1, 100, 2**32 - 1]), 200, d.choice([0, 2]),
                               d.choice([0, 8, 16, 24, 64]), b'data', d.choice([0, 200, 2**32 - 1]))
            file = self.path('.wav')
            file.write_bytes(head + d.randbytes(200))
        else:
            rows = [[f'{0.1 * i:.2f}', f'{0.25 * math.sin(1.5 * 0.1 * i):.4f}'] for i in range(d.choice([0, 1, 2, 3, 80, 300]))]
            if kind == 'constant':
                rows = [[t, '0.5'] for t, _ in rows]
            for _ in range(d.choice([1, 3, 20])):
                if rows and kind in ('numbers', 'time'):
                    rows[d.randrange(len(rows))][kind == 'numbers'] = self.bad_number()
            head = d.choice(['time_s,volume_l', 'time_s,flow_l_s', 'volume', 'a,b,c', ',', '"', 'time_s,time_s', '\ufefftime_s,volume_l', '\0'])
            text = '\n'.join([head, *(','.join(r) for r in rows)])
            data = text.encode()
            if kind == 'encoding':
                data = d.choice([text.replace('\n', '\r\n'), text.replace('\n', '\r'), '\ufeff' + text, text.replace(',', ';'), '\n\n' + text + '\n\n',
                                 text.replace(',', '\t')]).encode(d.choice(['utf-8', 'utf-8', 'utf-16', 'utf-32-be']))
            elif kind == 'giant':
                data = d.choice([text.encode() + b'\n' + b'1' * 5_000_000, b'time_s,volume_l\n' + b''.join(b'%.3f,%.3f\n' % (0.001 * i, math.sin(0.001 * i)) for i in range(700_000)),
                                 b'time_s,volume_l\n' + b'0,1\n' * 500_000, b','.join(b'c%d' % i for i in range(200_000)) + b'\n'])
            if kind == 'bytes' and data:
                data = bytearray(data)
                for _ in range(10):
                    data[d.randrange(len(data))] = d.randrange(256)
            file = self.path('.csv')
            file.write_bytes(data)
        extra = d.choice([[], ['--robust'], ['--fill-gaps'], ['--calibrated'], ['--kind', 'flow'], ['--invert'], ['--column', '7'], ['--detrend', '0']])
        return Input(f'signal {kind}', ['breathe', '--seconds', '0.05', '--no-output', '--volume', str(file), *extra])

    def broken(self, text, times):
        """Text with numbers and single characters made hostile."""
        d = self.draw
        numbers = list(re.finditer(r'(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?', text))
        for at in sorted(d.sample(numbers, min(times, len(numbers))), key=lambda m: -m.start()):
            text = text[:at.start()] + self.bad_number() + text[at.end():]
        if d.random() < 0.4 and text:
            at = d.randrange(len(text))
            text = text[:at] + d.choice(['', '\0', '[', ']', '"', '\n', '=', 'é', '\x1b[2J', text[:50]]) + text[at + d.choice([0, 1, 40]):]
        return text

    def clip(self):
        text = whole_clip()
        file = self.path('.bvh')
        if self.draw.random() < 0.4:  # what the header promises does not come
            start, rows = text.split('Frames: 4\n')
            text = start + self.draw.choice(['Frames: 0\nFrame Time: 0.033\n', 'Frames: 0\n' + rows, 'Frames: -4\n' + rows, 'Frames: 999999999999\n' + rows, 'Frames: 5\n' + rows, 'Frames: 1\n' + rows,
                                             'Frames: 4\n' + rows.replace('0.033', '0'), 'Frames: 4\n' + rows.replace('0.033', '-1'), 'Frames: 4\n' + rows.replace('0.033', '1e-12'),
                                             'Frames: 4\n' + rows.replace('0.033', '1e12'), 'Frames: 4\n' + rows.replace('\n', '\r\n'), ''])
        file.write_text(self.broken(text, self.draw.choice([0, 0, 1, 3])), newline='')
        verb = self.draw.choice([['live', '--seconds', '0.05', '--skin-triangles', '0'], ['move', '--no-scene', '--no-pictures', '--out', '{out}'], ['act', '--seconds', '0.02', '--no-pictures', '--out', '{out}']])
        return Input('clip', [*verb, '--motion', str(file)])

    def poses(self):
        text = self.draw.choice(['time_s,elbow_r,knee_l\n0,0,0\n0.02,10,5\n0.05,20,10\n', 'time_s,elbow_r\n0.05,20\n0,0\n0.02,10\n', 'time_s,elbow_r\n0,0\n0,10\n0.05,20\n', 'time_s,elbow_r\n0,5\n',
                                 'time_s,elbow_r,elbow_r\n0,0,5\n1,0,5\n', 'time_s\n0\n1\n', 'elbow_r\n0\n10\n', 'time_s,elbow_r\n-5,0\n-4,20\n', 'time_s,elbow_r\n0,0\n1e9,20\n', 'time_s,ellenbogen\n0,0\n1,5\n'])
        file = self.path('.csv')
        file.write_text(self.broken(text, self.draw.choice([0, 0, 1, 2])))
        verb = self.draw.choice([['live', '--seconds', '0.05', '--skin-triangles', '0'], ['move', '--no-scene', '--no-pictures', '--out', '{out}'], ['act', '--seconds', '0.02', '--no-pictures', '--out', '{out}']])
        return Input('poses', [*verb, '--poses', str(file)])

    def mesh(self):
        d = self.draw
        suffix = d.choice(['.obj', '.ply', '.stl', '.glb', '.gltf', '.fbx', '.xyz'])
        points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        faces = [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]
        if suffix == '.ply':
            text = ('ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n'
                    'property list uchar int vertex_indices\nend_header\n' + ''.join('%g %g %g\n' % p for p in points) + ''.join('3 %d %d %d\n' % tuple(i - 1 for i in f) for f in faces))
        elif suffix == '.stl':
            text = 'solid a\n' + ''.join('facet normal 0 0 1\nouter loop\n' + ''.join('vertex %g %g %g\n' % points[i - 1] for i in f) + 'endloop\nendfacet\n' for f in faces) + 'endsolid a\n'
        else:
            text = ''.join('v %g %g %g\n' % p for p in points) + ''.join('f %d %d %d\n' % f for f in faces)
        data = self.broken(text, d.choice([0, 1, 3])).encode()
        if suffix in ('.glb', '.gltf', '.fbx'):
            body = d.choice([b'{"asset":{"version":"2.0"}}', b'{"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{"POSITION":9}}]}]}', b'{', b'[]', d.randbytes(60)])
            body += b' ' * (-len(body) % 4)
            data = struct.pack('<4sIIII', b'glTF', d.choice([1, 2, 2**32 - 1]), d.choice([0, 20 + len(body), 2**32 - 1]), d.choice([len(body), 2**31]), 0x4E4F534A) + body if suffix == '.glb' else body
        file = self.path(suffix)
        file.write_bytes(data)
        verb = d.choice([['fit', str(file), '--no-pictures', '--out', '{out}'], ['render', str(file), '--width', '16', '--height', '16', '--samples', '1', '--out', '{out}.png'],
                         ['muscle', '--mesh', str(file), '--seconds', '0.02', '--grid', '5x3x3', '--no-video', '--out', '{out}']])
        return Input(f'mesh {suffix}', verb)

    def body(self):
        d = self.draw
        folder = self.path('_body')
        shutil.copytree(ROOT / 'data/body', folder)
        target = d.choice([f for f in sorted(folder.glob('*.toml'))])
        target.write_text(self.broken(target.read_text(), d.choice([1, 1, 3])))
        verb = d.choice([['body', 'info'], ['breathe', '--seconds', '0.05', '--no-output'], ['live', '--seconds', '0.05', '--skin-triangles', '0'], ['move', '--activations', 'rest', '--seconds', '0.05', '--no-scene', '--no-pictures', '--out', '{out}']])
        return Input(f'body {target.name}', [*verb, '--body', str(folder / 'human.toml')])

    def person(self):
        d = self.draw
        pick = lambda *values: str(d.choice(values))
        given = [('--height', pick(0, 0.3, 0.9, 1.2, 2.4, 3, 3.1, 40, 182, 1e9)), ('--mass', pick(0, 1, 20, 35, 180, 400, 1e6)), ('--age', pick(-1, 0, 2, 5, 12, 95, 120, 500)),
                 ('--sex', pick('male', 'woman', 'x')), ('--frontal', pick(0, 0.3, 0.8, 1.3, 9)), ('--spine-ratio', pick(0, 0.5, 1.4, 30))]
        chosen = d.sample(given, d.choice([1, 2, 3]))
        verb = d.choice([['body', 'info'], ['breathe', '--seconds', '0.05', '--no-output']])
        return Input('person', [*verb, *(w for pair in chosen for w in pair)])

    def model(self):
        file = self.path('.breath')
        file.write_bytes(self.draw.choice([b'', b'{}', b'PNBR', b'\0' * 200, self.draw.randbytes(300)]))
        return Input('model', ['perform', '--model', str(file), '--no-film', '--out', '{out}'])

    def environment(self):
        d = self.draw
        nowhere = str(self.path('_nowhere'))
        a_file = self.path('.txt')
        a_file.write_text('no folder')
        name, value = d.choice([('PNEUMA_DATA', ''), ('PNEUMA_DATA', nowhere), ('PNEUMA_DATA', str(a_file)), ('PNEUMA_DATA', '\x1b[31m'), ('PNEUMA_DATA', 'x' * 6000), ('HOME', ''), ('HOME', nowhere),
                                ('XDG_CACHE_HOME', str(a_file)), ('XDG_CACHE_HOME', 'relative'), ('XDG_CACHE_HOME', '/proc'), ('TMPDIR', nowhere), ('TMPDIR', str(a_file)), ('LC_ALL', 'de_DE.UTF-8'),
                                ('LC_ALL', 'no_SUCH'), ('LANG', '\udcff'), ('PATH', ''), ('TERM', 'dumb'), ('COLUMNS', '-5'), ('TBB_NUM_THREADS', 'x'), ('TZ', ':/dev/zero'),
                                ('HOME', None), ('PATH', None), ('LANG', None), ('PNEUMA_DATA', 'data'), ('PNEUMA_DATA', str(ROOT / 'data') + '/../data//'), ('TMPDIR', '/proc'), ('TMPDIR', ''), ('PNEUMA_CACHE_DIR', ''),
                                ('PNEUMA_CACHE_DIR', '/dev/null/x'), ('PNEUMA_CACHE_DIR', 'käse\n')])
        verb = d.choice([['--version'], ['--help'], ['body', 'info'], ['breathe', '--seconds', '0.05', '--no-output'], ['breathe', '--seconds', '0.05', '--csv', '{out}']])
        return Input(f'environment {name}', verb, {name: value, **({'XDG_CACHE_HOME': None} if name == 'HOME' and d.random() < 0.5 else {})})

    def words(self):
        d = self.draw
        words = [d.choice(['breathe', 'body', 'live', 'help', '--json', '--quiet', '--', '-x', '', '\udcff', '--out', 'info', '--version', '@file', '-', '--no-such', '/' * 300, 'x' * 100000]) for _ in range(d.choice([1, 2, 3]))]
        return Input('words', [*words, '--no-such-option'])

    def threads(self):
        run = self.draw.choice(['breathe', 'live', 'muscle', 'body export', 'curves', 'act'])
        return Input('threads', [*RUNS[run], f'--threads={self.draw.choice(["0", "1000000000", "-1", "1.5", "", "4294967297", "9" * 30, "3"])}'])

    def twice(self):
        """An option twice: with the same value, with another, in both spellings."""
        run = self.draw.choice(list(RUNS))
        name, values = self.draw.choice(self.option_names(run)), self.draw.choices(['1', '2', 'male', 'deep', '0.05', '', 'auto', '640x480'], k=2)
        return Input(f'twice {run} {name}', [*RUNS[run], name, values[0], f'{name}={values[1]}'])

    def place(self):
        """Results written to a place that is odd, taken, or not there to be written to."""
        d = self.draw
        run = d.choice([['breathe', '--seconds', '0.05', '--csv', '{out}'], ['body', 'export', '--format', 'mjcf', '--out', '{out}'], ['curves', '--out', '{out}'], ['muscle', '--seconds', '0.02', '--no-video', '--out', '{out}'],
                        ['move', '--activations', 'rest', '--seconds', '0.05', '--no-scene', '--no-pictures', '--out', '{out}'], ['act', 'hold', '--seconds', '0.02', '--no-pictures', '--out', '{out}'],
                        ['body', 'info', '--json'], ['render', '{mesh}', '--width', '16', '--height', '16', '--samples', '1', '--out', '{out}.png']])

        def to(target):
            return lambda out: out.symlink_to(target(out) if callable(target) else target)

        def folder_with_file(out):
            out.mkdir()
            (out / 'thesis.txt').write_text('the only copy')

        def other_folder(out):
            other = out.with_name(out.name + '.other')
            other.mkdir()
            return other

        name, out, prepare = d.choice([
            ('link to a folder', '', to(other_folder)), ('link to nothing', '', to('/nonexistent/x')), ('link to itself', '', to(lambda out: out)), ('link to a file', '', to(self.folder / 'tetrahedron.obj')),
            ('a file', '', lambda out: out.write_text('taken')), ('a folder', '', folder_with_file), ('a pipe', '', os.mkfifo), ('unicode', ' Zoë 日本 🫁', lambda out: None), ('bytes', '\udcff\udcfe', lambda out: None),
            ('line feed', '\n\x1b[31m', lambda out: None), ('long', 'x' * 300, lambda out: None), ('deep', '/a/b/c/d', lambda out: None), ('climbs', '/../{self}', lambda out: None), ('slash', '/', lambda out: None),
            ('url', '/tcp:1', lambda out: None), ('percent', '%d%s', lambda out: None), ('quote', '\'"$(touch x)`', lambda out: None)])
        if d.random() < 0.2:
            name, run = 'not writable', [w.replace('{out}', d.choice(['/proc/out', '/sys/out', '/dev/null/out', '/proc/self/out/a'])) for w in run]
        return Input(f'place {name}', run, out=out.replace('{self}', 'out_beside'), prepare=prepare)

    def stream(self):
        d = self.draw
        run = d.choice([['--version'], ['breathe', '--seconds', '0.05', '--no-output', '--json'], ['body', 'info'], ['body', 'info', '--json'], ['breathe', '--style', 'dep'], ['--help'], ['breathe', '--seconds', '0.05', '--csv', '{out}']])
        # A table that is complete stays where only the summary could not be printed.
        return Input('stream', run, streams={s: d.choice(['closed', 'full']) for s in d.sample(['stdin', 'stdout', 'stderr'], d.choice([1, 2, 3]))}, goes_on='{out}' in run)

    def scarce(self):
        """A scheduler, a container or a shell that gives little: file sizes, open files, memory, stack; but enough for the libraries to begin."""
        d = self.draw
        run = d.choice([['breathe', '--seconds', '0.05', '--csv', '{out}'], ['body', 'export', '--format', 'mjcf', '--out', '{out}'], ['curves', '--out', '{out}'], ['body', 'info', '--json'],
                        ['muscle', '--seconds', '0.02', '--no-video', '--out', '{out}'], ['move', '--activations', 'rest', '--seconds', '0.05', '--no-scene', '--no-pictures', '--out', '{out}'],
                        ['act', 'hold', '--seconds', '0.02', '--no-pictures', '--out', '{out}'], ['render', '{mesh}', '--width', '16', '--height', '16', '--samples', '1', '--out', '{out}.png']])
        name, least, most = d.choice([('FSIZE', 0, 20_000), ('NOFILE', 4, 40), ('AS', 300 << 20, 900 << 20), ('DATA', 64 << 20, 400 << 20), ('STACK', 128 << 10, 1 << 20), ('CORE', 0, 0)])
        return Input(f'scarce {name}', run, limits={name: d.randint(least, most)}, goes_on=name == 'FSIZE')

    def no_file(self):
        """Where a file to read is expected, something else: a folder, a device, a pipe, a file of holes, a name to trip over."""
        d = self.draw
        suffix = d.choice(['.csv', '.wav', '.bvh', '.obj', '.toml', '.CSV', ''])
        file = self.path(suffix).with_name(d.choice([f'in{self.files}', f' in {self.files} (1)', f'-in{self.files}', f'in{self.files}\n', f'ïn{self.files}']) + suffix)
        what = d.choice(['folder', 'holes', 'link', 'loop', 'dangling', 'spaces', 'stdin', 'null', 'zero', 'urandom', 'text'])
        if what == 'folder':
            file.mkdir(exist_ok=True)
        elif what == 'holes':  # 300 MB that the disk does not hold
            with file.open('wb') as f:
                f.truncate(300 << 20)
        elif what in ('link', 'loop', 'dangling'):
            file.unlink(missing_ok=True)
            file.symlink_to({'link': self.folder / 'tetrahedron.obj', 'loop': file, 'dangling': self.folder / 'nothing'}[what])
        elif what in ('spaces', 'text'):
            file.write_text({'spaces': ' \n' * 1000, 'text': 'Dear all, please find attached\n'}[what])
        word = {'stdin': '/dev/stdin', 'null': '/dev/null', 'zero': '/dev/zero', 'urandom': '/dev/urandom'}.get(what, str(file))
        run = d.choice([['breathe', '--seconds', '0.05', '--no-output', f'--volume={word}'], ['live', '--seconds', '0.05', '--skin-triangles', '0', f'--motion={word}'], ['live', '--seconds', '0.05', '--skin-triangles', '0', f'--poses={word}'],
                        ['body', 'info', f'--body={word}'], ['fit', '--no-pictures', '--out', '{out}', word], ['render', '--width', '16', '--height', '16', '--samples', '1', '--out', '{out}.png', word],
                        ['muscle', f'--mesh={word}', '--seconds', '0.02', '--grid', '5x3x3', '--no-video', '--out', '{out}'], ['perform', f'--model={word}', '--no-film', '--out', '{out}']])
        return Input(f'no_file {what}', run, feed=d.choice([b"", b"time_s,volume_l\n0,0\n", b"\xff" * 50_000]))

    def spreadsheet(self):
        """Recordings as spreadsheets and loggers of other countries leave them."""
        d = self.draw
        comma, end, decimal = d.choice([',', ';', '\t', ' ', '|']), d.choice(['\n', '\r\n', '\r']), d.choice(['.', ','])
        gap = d.choice(['', 'NaN', '#DIV/0!', 'n/a', '-', '--', 'NULL', '1.#IND', '+-0'])
        quote = d.choice(['', '', '"', "'"])
        times = d.choice([lambda i: f'{0.1 * i:.2f}', lambda i: f'00:00:{0.1 * i:05.2f}', lambda i: f'2024-05-01 12:00:{0.1 * i:05.2f}', lambda i: f'{1.7e9 + 0.1 * i:.2f}', lambda i: f'{100 * i}', lambda i: str(i % 60)])
        volumes = [f'{0.25 * math.sin(0.15 * i):.4f}' for i in range(300)]
        for _ in range(d.choice([0, 0, 1, 30])):
            volumes[d.randrange(300)] = gap
        cell = lambda text: quote + text.replace('.', decimal) + quote
        rows = [comma.join(cell(w) for w in (times(i), v, *d.choice([[], [], ['']]))) for i, v in enumerate(volumes)]
        head = [d.choice(['sep=;', '', 'Patient: Müller, Zoë', '# exported', '=HYPERLINK("http://x")']) for _ in range(d.choice([0, 1, 3]))]
        foot = d.choice([[], ['Mean' + comma + '0'], ['', '', 'end'], ['\x1a']])
        file = self.path('.csv')
        file.write_bytes(end.join([*head, comma.join(d.choice([['time_s', 'volume_l'], ['Zeit [s]', 'Volumen [l]'], ['t', 't'], ['0', '0']])), *rows, *foot]).encode(d.choice(['utf-8', 'utf-8-sig', 'latin-1', 'utf-16'])))
        return Input('spreadsheet', ['breathe', '--seconds', '0.05', '--no-output', '--volume', str(file), *d.choice([[], ['--fill-gaps'], ['--robust'], ['--kind', 'flow']])])

    def resumed(self):
        """A run whose folder somebody, or a full disk, has changed before it goes on."""
        d = self.draw
        run = d.choice([['move', '--activations', 'rest', '--seconds', '0.05', '--no-scene', '--no-pictures', '--checkpoint-every', '0.02'], ['act', 'hold', '--seconds', '0.04', '--no-pictures', '--checkpoint-every', '0.02'],
                        ['muscle', '--seconds', '0.02', '--no-video']])
        kept = self.folder / f'kept_{run[0]}'
        if not kept.exists():
            subprocess.run([self.program, *run, '--quiet', '--out', str(kept)], check=True, stdout=subprocess.DEVNULL)
        how, chance = d.choice(['cut', 'empty', 'flip', 'gone', 'swapped', 'folder', 'twice', 'nothing']), d.random()

        def prepare(out):
            shutil.copytree(kept, out)
            files = sorted(f for f in out.rglob('*') if f.is_file())
            target = files[int(chance * len(files))]
            data = target.read_bytes()
            if how == 'cut':
                target.write_bytes(data[:len(data) // 2])
            elif how == 'empty':
                target.write_bytes(b'')
            elif how == 'flip' and data:
                target.write_bytes(data[:len(data) // 3] + bytes([data[len(data) // 3] ^ 0x55]) + data[len(data) // 3 + 1:])
            elif how == 'swapped':
                target.write_bytes(files[-1].read_bytes())
            elif how == 'twice':
                target.write_bytes(data + data)
            elif how in ('gone', 'folder'):
                target.unlink()
                if how == 'folder':
                    target.mkdir()

        return Input(f'resumed {run[0]} {how}', [*run, '--out', '{out}', '--resume'], prepare=prepare, goes_on=True)

    def two_at_once(self):
        run = self.draw.choice([['muscle', '--seconds', '0.02', '--no-video', '--out', '{out}'], ['move', '--activations', 'rest', '--seconds', '0.05', '--no-scene', '--no-pictures', '--out', '{out}'],
                                ['breathe', '--seconds', '0.05', '--csv', '{out}'], ['body', 'export', '--format', 'mjcf', '--out', '{out}'], ['act', 'hold', '--seconds', '0.02', '--no-pictures', '--out', '{out}']])
        return Input('two at once', run, at_once=2)

    def one(self):
        kind = self.draw.choices([self.bad_option, self.signal, self.clip, self.poses, self.mesh, self.body, self.person, self.model, self.environment, self.words,
                                  self.threads, self.twice, self.place, self.stream, self.two_at_once, self.scarce, self.no_file, self.spreadsheet, self.resumed],
                                 [20, 14, 8, 8, 8, 10, 5, 2, 10, 3, 3, 5, 10, 5, 3, 8, 8, 6, 6])[0]
        return kind()
