"""The commands that the sweep starts, their inputs, and what of their outputs must always be the same."""
import csv
import hashlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

LIMIT_S = 10  # no command may take longer on a machine that does nothing else, whatever fails
CASCADE = '/usr/share/opencv4/haarcascades/haarcascade_frontalface_default.xml'
PARTIAL = '.partial'


def limit_s():
    """Returns after how many seconds a command hangs, if other programs want the processors, too."""
    return LIMIT_S * max(1, os.getloadavg()[0] / os.cpu_count())


class Outcome:
    """How a command has ended."""

    def __init__(self, code, error, hung=False, problems=()):
        self.code, self.error, self.hung, self.problems = code, error, hung, list(problems)
        self.partials = 0  # how many partial videos were compared with the complete one


# --- What is compared ---------------------------------------------------------------------------------

def all_bytes(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def latencies(path):
    """Times differ from run to run. The frames and what was found in them don't."""
    with open(path, newline='') as file:
        return [[line[name] for name in ('frame', 'pts_s', 'candidates', 'faces')] for line in csv.DictReader(file)]


def report(path):
    """The report of run, hide, detect or join: what was done, without times."""
    return [{name: entry.get(name) for name in ('status', 'exit_code', 'sha256', 'frames', 'faces', 'notices', 'tracks')}
            for entry in json.loads(path.read_text())]


def findings(path):
    """The report of verify."""
    found = json.loads(path.read_text())
    return [found[name] for name in ('exit_code', 'verdict', 'frames_compared', 'boxes_measured', 'counts')]


def plan(path):
    read = json.loads(path.read_text())
    return [[word for word in read['arguments'] if word != '--overwrite'], read['input'], read['parts']]


def page(path):
    """A page contains times. It must be whole."""
    return path.read_text().rstrip().endswith('</html>')


def actions(path):
    """An edit file: what happens to each track."""
    return {track['id']: track['action'] for track in json.loads(path.read_text())['tracks']}


def is_an_edit_file(path):
    return bool(actions(path))


def log_is_a_chain(path):
    """The log of a review: each line contains the hash of the line before."""
    previous = '0' * 64
    for line in path.read_bytes().splitlines():
        if json.loads(line)['previous'] != previous:
            return False
        previous = hashlib.sha256(line).hexdigest()
    return True


# --- Commands -----------------------------------------------------------------------------------------

class Command:
    """A command line, which runs in a folder of its own."""

    # Reports tell about a failure, too, so they may differ.
    TELL_OF_FAILURES = (report, findings, page)

    gpu = False  # its calls of NVIDIA's libraries fail, instead of those of the system

    def __init__(self, words, finals, again=('--overwrite',), task=False, hides=None, folders=(), keeps=()):
        """
        @param finals   {name of an output: function that returns what must always be the same of it}
        @param again    options of a later run in the same folder
        @param hides    the output whose faces must be hidden, also in a partial file
        @param folders  which folders must exist before
        @param keeps    which files are there before, {name: file}
        """
        self.words, self.finals, self.again, self.task, self.hides = list(words), finals, list(again), task, hides
        self.folders, self.keeps = folders, dict(keeps)

    def prepare(self, folder):
        """Makes the folder new."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in self.folders:
            (folder / name).mkdir()
        for name, file in self.keeps.items():
            shutil.copy(file, folder / name)

    def adopt(self, folder):
        """Learns from a run without a fault which outputs there are."""

    def start(self, program, folder, variables, again=False):
        """Runs the command. Returns its Outcome."""
        words = [program, *self.words, *(self.again if again else [])]
        with subprocess.Popen(words, cwd=folder, env={**os.environ, **variables}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            return ended(process, self.talk)

    def talk(self, process):
        """What a person does while the program works. Returns its standard error, and problems."""
        return process.communicate(timeout=limit_s())[1], []


def ended(process, talk):
    try:
        error, problems = talk(process)
    except subprocess.TimeoutExpired:
        process.kill()
        error = process.communicate()[1]
        return Outcome(process.returncode, error.decode(errors='replace'), hung=True)
    return Outcome(process.returncode, error.decode(errors='replace'), problems=problems)


class Part(Command):
    """The command that makes the second of two parts. A part's file contains times, so the joined video is compared."""

    def __init__(self, program, plan_file):
        super().__init__(['part', plan_file, '2', '--out', 'parts', '-q'], {}, again=(), task=True, folders=('parts',))
        self.program, self.plan_file = program, plan_file

    def adopt(self, folder):
        """The name of a part's file contains a hash of the plan."""
        for path in folder.glob('parts/*'):
            self.finals[str(path.relative_to(folder))] = self.joined

    def joined(self, path):
        """Returns the hash of the video that is made of this part and of the part before it."""
        other = next(pathlib.Path(self.plan_file).parent.glob('parts/part-00001*'))
        with tempfile.TemporaryDirectory(dir=path.parent.parent) as folder:
            for file in (other, path):
                os.symlink(file, pathlib.Path(folder) / file.name)
            video = pathlib.Path(folder) / 'joined.mp4'
            words = [self.program, 'join', self.plan_file, '--from', folder, '-o', video, '-q']
            result = subprocess.run(words, stderr=subprocess.PIPE, text=True)
            if result.returncode != 0:
                raise ValueError(result.stderr)
            return all_bytes(video)


class Review(Command):
    """A person who opens the page of a review, decides about faces, and ends the review."""

    DECISIONS = (('keep', [0]), ('hide', [1]), ('suggest', [0]), ('keep', [2, 3]))

    def __init__(self, words, tracks, edits):
        super().__init__(words, {edits: is_an_edit_file}, again=())
        self.tracks, self.edits = tracks, edits

    def start(self, program, folder, variables, again=False):
        edits, log = folder / self.edits, folder / self.edits.replace('.json', '.log.jsonl')
        before = actions(edits if edits.exists() else self.tracks)
        taken = []
        with subprocess.Popen([program, *self.words], cwd=folder, env={**os.environ, **variables},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            outcome = ended(process, lambda process: self.talk(process, taken))
        if outcome.code == 0:
            if actions(edits) not in self.possible(before, taken):
                outcome.problems.append(f'{self.edits} doesn\'t contain what was decided')
            if not log_is_a_chain(log):
                outcome.problems.append('the log is no chain')
        return outcome

    def possible(self, before, taken):
        """Returns what the edit file can say. The decision whose answer didn't come was taken, or was not."""
        states = [dict(before)]
        for action, tracks in self.DECISIONS[:len(taken) + 1]:
            states.append({**states[-1], **dict.fromkeys(tracks, action)})
        return states[len(taken):]

    def talk(self, process, taken):
        process.stdout.readline()
        address = process.stdout.readline().decode().strip()
        if address.startswith('http://') and not self.decide(address, taken):
            process.send_signal(signal.SIGINT)  # as Ctrl-C does: a person ends a review also if the page can't
        return process.communicate(timeout=limit_s())[1], []

    def decide(self, address, taken):
        """Decides, and ends the review. Adds each decision that the server has taken to `taken`. Returns whether the
        server ends."""
        site, token = address.removeprefix('http://').split('/open?t=')
        connection = http.client.HTTPConnection(site, timeout=limit_s())
        try:
            connection.request('GET', f'/open?t={token}')
            answer = connection.getresponse()
            answer.read()
            own = {'Cookie': (answer.getheader('Set-Cookie') or '').split(';')[0], 'X-Facepipe': '1'}
            connection.request('GET', '/tracks', headers=own)
            revision = json.loads(connection.getresponse().read())['revision']
            for number, (action, tracks) in enumerate(self.DECISIONS):
                body = {'action': action, 'tracks': tracks, 'revision': revision + number}
                connection.request('POST', '/changes', json.dumps(body), own)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    return False
                taken.append(action)
            connection.request('POST', '/quit', '', own)
            return connection.getresponse().status == 204
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            return False  # a request has failed; what the edit file says is checked afterwards
        finally:
            connection.close()


# --- All of them --------------------------------------------------------------------------------------

QUICK = ['--device', 'cpu', '--threads', '1', '-q']


def make_inputs(program, folder, photo):
    """Makes the inputs of all commands in a folder."""
    def ffmpeg(*words):
        subprocess.run(['ffmpeg', '-nostdin', '-v', 'error', '-y', *words], check=True)

    def clip(name, size, *words):
        # The picture moves over the photo, so that frames differ.
        ffmpeg('-loop', '1', '-r', '25', '-i', folder / 'photo.png', '-f', 'lavfi', '-i', 'sine',
               '-vf', f'crop={size}:n:40,format=yuv420p', '-c:v', 'libx264', '-preset', 'ultrafast', '-threads', '1',
               '-c:a', 'aac', '-b:a', '32k', *words, folder / name)
    folder.mkdir(parents=True, exist_ok=True)
    ffmpeg('-i', photo, '-vf', 'scale=640:-2', folder / 'photo.png')
    clip('clip.mp4', '320:192', '-t', '0.48', '-g', '4')
    # Longer than hide looks ahead, so that something is written before its end.
    clip('faces.mp4', '192:112', '-t', '1.6', '-g', '10')
    clip('short.mp4', '160:96', '-t', '0.12', '-an')
    clip('long.mp4', '128:96', '-t', '2.56', '-x264-params', 'keyint=32:min-keyint=32:scenecut=0')

    def facepipe(*words):
        subprocess.run([program, *words, *QUICK, '--model', CASCADE, '--overwrite'], cwd=folder, check=True)
    (folder / 'parts').mkdir(exist_ok=True)
    for name in ('clip', 'short'):
        facepipe('hide', f'{name}.mp4', '-o', f'{name}_hidden.mp4', '--write-tracks', f'{name}.json')
    split = ['split', 'run', folder / 'long.mp4', '--parts', '2', '-o', 'plan.json', '--preset', 'ultrafast']
    facepipe(*split)
    for part in ('1', '2'):
        subprocess.run([program, 'part', 'plan.json', part, '--out', 'parts', '-q'], cwd=folder, check=True)


def all_commands(program, inputs):
    """Returns {name: Command}."""
    clip, faces, short, long_clip, plan_file = (
        str(inputs / name) for name in ('clip.mp4', 'faces.mp4', 'short.mp4', 'long.mp4', 'plan.json'))
    cascade = [*QUICK, '--model', CASCADE]
    network = ['--detect-size', '64x64', '--engine', 'opencv']  # starts faster than OpenVINO
    video = ['--preset', 'ultrafast', '-o', 'out.mp4']
    sides = ['--detections', 'd.jsonl', '--latency', 'l.csv', '--report', 'r.json']
    side_files = {'d.jsonl': all_bytes, 'l.csv': latencies, 'r.json': report}
    # Lossless video, so that a pixel of a partial file can be compared with the same pixel of the complete file.
    lossless = ['--crf', '0', *video]
    tracks = {'t.json': all_bytes, 'r.json': report}
    return {
        'run': Command(['run', clip, *video, *sides, *cascade], {'out.mp4': all_bytes, **side_files}),
        'hide': Command(['hide', faces, *lossless, '--write-tracks', 't.json', '--report', 'r.json', *cascade],
                        {'out.mp4': all_bytes, **tracks}, hides='out.mp4'),
        'detect': Command(['detect', short, '--detections', 'd.csv', '--write-tracks', 't.json', '--report', 'r.json',
                           '--report-html', 'r.html', *network, *QUICK],
                          {'d.csv': all_bytes, **tracks, 'r.html': page}),
        'verify': Command(['verify', short, str(inputs / 'short_hidden.mp4'), '--tracks', str(inputs / 'short.json'),
                           '--quick', '--report', 'r.json', *network, '-q'], {'r.json': findings}),
        'review': Review(['review', clip, '--tracks', str(inputs / 'clip.json'), '--edits', 'edits.json', '--reviewer',
                          'Ada', '--no-open', *cascade], inputs / 'clip.json', 'edits.json'),
        'split': Command(['split', 'run', long_clip, '--parts', '2', '--preset', 'ultrafast', '-o', 'plan.json', *cascade],
                         {'plan.json': plan}),
        'part': Part(program, plan_file),
        'join': Command(['join', plan_file, '--from', str(inputs / 'parts'), '-o', 'out.mp4', *sides, '-q'],
                        {'out.mp4': all_bytes, **side_files}),
        'task': Command(['run', clip, *video, *sides, '--task', *cascade], {'out.mp4': all_bytes, **side_files},
                        again=('--skip-existing',), task=True),
        'hide-task': Command(['hide', faces, *lossless, '--task', '--report', 'r.json', *cascade],
                             {'out.mp4': all_bytes, 'r.json': report}, again=('--skip-existing',), task=True,
                             hides='out.mp4'),
    }


class GpuCommand(Command):
    gpu = True


def gpu_commands(inputs):
    """Returns {name: Command} of commands that need a GPU."""
    clip, faces, long_clip = (str(inputs / name) for name in ('clip.mp4', 'faces.mp4', 'long.mp4'))
    cuda = ['--device', 'cuda', '-q']
    video = ['--preset', 'ultrafast', '-o', 'out.mp4']
    sides = ['--detections', 'd.jsonl', '--latency', 'l.csv', '--report', 'r.json']
    side_files = {'d.jsonl': all_bytes, 'l.csv': latencies, 'r.json': report}
    hide = ['hide', faces, '--crf', '0', *video, '--report', 'r.json', *cuda]
    hidden = {'out.mp4': all_bytes, 'r.json': report}
    return {
        'cuda-run': GpuCommand(['run', clip, *video, *sides, *cuda], {'out.mp4': all_bytes, **side_files}),
        'cuda-hide': GpuCommand(hide, hidden, hides='out.mp4'),
        'cuda-jpeg': GpuCommand(['run', long_clip, '--lanes', '2', '--codec', 'mjpeg', '-o', 'out.mov', *sides, *cuda],
                                {'out.mov': all_bytes, **side_files}),
        'cuda-task': GpuCommand([*hide, '--task'], hidden, again=('--skip-existing',), task=True, hides='out.mp4'),
        'cuda-cascade': GpuCommand(['detect', faces, *sides, *cuda, '--model', CASCADE], side_files),
    }
