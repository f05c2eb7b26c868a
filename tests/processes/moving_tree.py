#!/usr/bin/env python3
"""A directory changes while a run reads it: no run hangs, fails, or loses an unchanged file.

    tests/processes/moving_tree.py NEARDUP [--trials N] [--seed S]

While neardup dedup --on-error skip runs, a thread removes, renames and replaces files by pipes,
links, directories and other texts. It does not change files whose names begin with "still": each of
them must be kept."""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading

SECONDS = 60


def make_tree(random_, root):
    still = []
    for d in range(12):
        folder = os.path.join(root, *['d%d' % (d % (i + 2)) for i in range(d % 4)], 'e%d' % d)
        os.makedirs(folder, exist_ok=True)
        for f in range(60):
            name = ('still%d' if f % 3 == 0 else 'moving%d') % f
            path = os.path.join(folder, name)
            with open(path, 'w') as out:
                out.write(' '.join('w%d' % random_.randrange(10**9) for _ in range(40)))
            if f % 3 == 0:
                still.append(os.path.relpath(path, root))
    return still


def change_one(random_, path, number):
    way = random_.randrange(6)
    if way == 0:
        os.remove(path)
    elif way == 1:
        os.rename(path, path + '.%d' % number)
    elif way == 2:
        os.remove(path)
        os.mkfifo(path)
    elif way == 3:
        os.remove(path)
        os.symlink(random_.choice(['/etc/passwd', path, 'nowhere']), path)
    elif way == 4:
        os.remove(path)
        os.mkdir(path)
    else:
        # A file that has become a pipe has no reader.
        fd = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_NONBLOCK)
        os.write(fd, b'another text of %d' % number)
        os.close(fd)


def change(random_, root, stop):
    number = 0
    while not stop.is_set():
        folder, _, files = random_.choice(list(os.walk(root)))
        moving = [f for f in files if f.startswith('moving')]
        number += 1
        if not moving:
            continue
        try:
            change_one(random_, os.path.join(folder, random_.choice(moving)), number)
        except OSError:
            pass


def trial(neardup, random_, directory):
    root = os.path.join(directory, 'tree')
    still = make_tree(random_, root)
    stop = threading.Event()
    changer = threading.Thread(target=change, args=(random.Random(random_.random()), root, stop))
    changer.start()
    command = [neardup, 'dedup', root, '--on-error', 'skip', '--invalid', 'skip', '-q', '-0']
    if random_.random() < 0.5:
        command.append('--follow')
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        sys.exit('it hangs: ' + ' '.join(command))
    finally:
        stop.set()
        changer.join()
    # A file that changes between its two readings ends the run with its name: that is no loss.
    if done.returncode == 1 and b'changed while it was read' in done.stderr:
        shutil.rmtree(root)
        return False
    if done.returncode != 0:
        sys.exit('status %d: %s' % (done.returncode, done.stderr.decode(errors='replace')[-500:]))
    kept = set(done.stdout.decode().split('\0'))
    lost = [name for name in still if name not in kept]
    if lost:
        sys.exit('%d files that nobody touched are lost: %s' % (len(lost), lost[:3]))
    shutil.rmtree(root)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('neardup')
    parser.add_argument('--trials', type=int, default=8)
    parser.add_argument('--seed', type=int, default=1)
    arguments = parser.parse_args()
    random_ = random.Random(arguments.seed)
    whole = 0
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(arguments.trials):
            whole += trial(os.path.abspath(arguments.neardup), random_, directory)
    print('%d trials, %d to their end, nothing lost' % (arguments.trials, whole))


if __name__ == '__main__':
    main()
