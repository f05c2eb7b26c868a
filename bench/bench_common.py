"""Shared by the scripts of bench/: finds the programs, runs and times them,
prints tables, stores a run."""
import datetime
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORPORA = os.path.join(ROOT, '..', 'shared', 'corpora')
CORPUS_NAMES = ('winps_docs', 'kubevela_docs', 'licenses', 'de_laws')


def add_arguments(parser):
    parser.add_argument('--build', default=os.path.join(ROOT, 'build', 'release'),
                        help='CMake build directory made with -DND_BUILD_BENCH=ON (default build/release)')
    parser.add_argument('--data', default=os.path.join(ROOT, 'build', 'bench-data'),
                        help='where generated corpora are kept (default build/bench-data)')
    parser.add_argument('--no-store', action='store_true', help='write nothing under bench/runs')


class Programs:
    """Paths of the built programs; ends the script if one is missing."""

    def __init__(self, build, names):
        for name in names:
            folder = 'cli' if name == 'neardup' else 'bench'
            path = os.path.join(build, folder, name)
            if not os.path.exists(path):
                place = os.path.relpath(build)
                sys.exit(f'{path} is missing: cmake -S . -B {place} -DND_BUILD_BENCH=ON && cmake --build {place}')
            setattr(self, name, path)


def shared_corpus(name, kind='jsonl'):
    """Returns the path of a shared corpus or of its truth (kind 'pairs_j50.tsv'); None: missing."""
    path = os.path.join(CORPORA, f'{name}.{kind}.zst')
    return path if os.path.exists(path) else None


def machine(build=None):
    model, flags = platform.machine(), set()
    try:
        with open('/proc/cpuinfo', encoding='utf8') as f:
            for line in f:
                key, _, value = line.partition(':')
                if key.strip() == 'model name':
                    model = value.strip()
                elif key.strip() == 'flags':
                    flags = set(value.split())
                    break
    except OSError:
        pass
    compiler = 'unknown compiler'
    try:
        with open(os.path.join(build or '', 'CMakeCache.txt'), encoding='utf8') as f:
            program = next(line.split('=', 1)[1].strip() for line in f if line.startswith('CMAKE_C_COMPILER:'))
        compiler = subprocess.run([program, '--version'], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, StopIteration, subprocess.CalledProcessError):
        pass
    sets = [s for s in ('avx2', 'avx512f', 'avx512_vbmi2', 'asimd') if s in flags]
    memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2 ** 30
    return (f'{model} ({" ".join(sets)}), {os.cpu_count()} cores, {memory:.0f} GiB, Linux {platform.release()}, {compiler}, '
            f'Python {platform.python_version()}, load {os.getloadavg()[0]:.2f}')


class Ran:
    """A finished command: seconds of wall clock and of processor, the peak of its resident memory
    in bytes, and its output."""

    def __init__(self, command, check=True, cwd=None):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.perf_counter()
            process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, cwd=cwd)
            _, status, usage = os.wait4(process.pid, 0)
            self.seconds = time.perf_counter() - start
            process.returncode = self.code = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            self.stdout, self.stderr = out.read().decode(), err.read().decode(errors='replace')
        self.processor, self.peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        self.command = shlex.join(map(str, command))
        if check and self.code != 0:
            sys.exit(f'{self.command}\nended with {self.code}\n{self.stderr}')

    def json(self):
        """Returns the last JSON object on standard output or, if there is none, on standard
        error."""
        for text in (self.stdout, self.stderr):
            for line in reversed(text.splitlines()):
                if line.startswith('{'):
                    return json.loads(line)
        sys.exit(f'{self.command}\nprinted no JSON object')


def zst_copy(path, folder):
    """Decompresses a .zst file into a folder."""
    plain = os.path.join(folder, os.path.basename(path)[:-len('.zst')])
    subprocess.run(['zstd', '-dqf', path, '-o', plain], check=True)
    return plain


def scratch_folder(data):
    """Makes a folder for outputs and temporary files, beside the corpora; it is removed at the
    end."""
    os.makedirs(data, exist_ok=True)
    return tempfile.TemporaryDirectory(dir=data, prefix='neardup-bench-')


def corpus(programs, data, name, arguments, optional=False):
    """Makes a generated corpus once, and keeps it while the arguments and the generator stay the
    same. `optional`: returns None if this machine has no material for it."""
    os.makedirs(data, exist_ok=True)
    path = os.path.join(data, name + '.jsonl')
    note = json.dumps([arguments, os.path.getmtime(programs.make_corpus)])
    try:
        with open(path + '.made', encoding='utf8') as f:
            if f.read() == note and os.path.exists(path):
                return path
    except OSError:
        pass
    made = Ran([programs.make_corpus, *arguments, '-o', path + '.part'], check=not optional)
    if made.code != 0:
        print(f'ABSENT: {name}: {made.stderr.strip().splitlines()[-1]}', file=sys.stderr)
        return None
    os.replace(path + '.part', path)
    with open(path + '.made', 'w', encoding='utf8') as f:
        f.write(note)
    print(made.stderr.strip().splitlines()[-1], file=sys.stderr)
    return path


def language_arguments(language, short, size='200M'):
    """Returns arguments of make_corpus for text of one language; None: no material for it."""
    material = ['--material-limit', '4M'] if short else []
    if language == 'zh' and not short and shared_corpus('kubevela_docs'):
        material = ['--material', shared_corpus('kubevela_docs'), '--machine']
    if language == 'de':
        if short or not shared_corpus('de_laws'):
            return None
        material = ['--material', shared_corpus('de_laws')]
    # English and German have no script of their own to choose sentences by.
    script = [] if language in ('en', 'de') else ['--language', language]
    return [*material, *script, '--size', '1M' if short else size]


def environment(folder, packages, alone=None):
    """Returns Python of a virtual environment with packages, name -> version; made once. `alone`:
    packages that are installed without the others that they ask for."""
    python, made = os.path.join(folder, 'bin', 'python'), os.path.join(folder, 'made')
    wanted, wanted_alone = ([f'{name}=={version}' for name, version in versions.items()]
                            for versions in (packages, alone or {}))
    note = ' '.join(wanted + wanted_alone)
    if not os.path.exists(made) or open(made, encoding='utf8').read() != note:
        subprocess.run([sys.executable, '-m', 'venv', folder], check=True)
        pip = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
        subprocess.run([*pip, *wanted], check=True)
        if wanted_alone:
            subprocess.run([*pip, '--no-deps', *wanted_alone], check=True)
        with open(made, 'w', encoding='utf8') as f:
            f.write(note)
    return python


def table(head, rows):
    """Aligns columns: the first to the left, the others to the right."""
    cells = [head] + [[str(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = []
    for row in cells:
        lines.append('  '.join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip())
    lines.insert(1, '  '.join('-' * w for w in widths))
    return '\n'.join(lines)


class Report:
    """Prints lines as they come. Stores them with the command, the machine and the raw figures, as
    bench/runs/DATE-NAME.txt and .json. NAME and the command tell which instruction sets
    ND_DISABLE_CPU disables."""

    def __init__(self, name, build, store):
        self.name, self.store, self.lines, self.raw = name, store, [], {}
        self.start = datetime.datetime.now()
        self.command = shlex.join([os.path.relpath(sys.argv[0], ROOT), *sys.argv[1:]])
        disabled = os.environ.get('ND_DISABLE_CPU')
        if disabled:
            self.name += '-without-' + disabled.replace(',', '-')
            self.command = f'ND_DISABLE_CPU={disabled} {self.command}'
        self.machine = machine(build)
        self.say(f'command: {self.command}\nmachine: {self.machine}\ndate: {self.start:%Y-%m-%d %H:%M}')

    def say(self, text=''):
        print(text, flush=True)
        self.lines.append(text)

    def end(self):
        if not self.store:
            return
        path = os.path.join(ROOT, 'bench', 'runs', f'{self.start:%Y-%m-%d}-{self.name}')
        with open(path + '.txt', 'w', encoding='utf8') as f:
            f.write('\n'.join(self.lines) + '\n')
        raw = {'command': self.command, 'machine': self.machine, 'date': self.start.isoformat(timespec='seconds'), **self.raw}
        with open(path + '.json', 'w', encoding='utf8') as f:
            # Paths as they are seen from the repository.
            f.write(json.dumps(raw, indent=1).replace(ROOT + os.sep, '') + '\n')
        print(f'stored as {os.path.relpath(path, ROOT)}.txt and .json', file=sys.stderr)
