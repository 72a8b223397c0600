"""The faults that can happen to a command: which call fails, how, and in which order faults are tried."""
import dataclasses
import errno
import hashlib
import re

# The errors that a call can really have. The first one is also used if all calls from one call on fail.
ERRORS = {
    'write': (errno.ENOSPC, errno.EIO), 'fsync': (errno.EIO, errno.ENOSPC), 'close': (errno.EIO, errno.ENOSPC),
    'rename': (errno.EIO, errno.EACCES), 'open': (errno.EACCES, errno.EMFILE), 'fopen': (errno.EACCES, errno.EMFILE),
    'read': (errno.EIO,), 'unlink': (errno.EACCES,), 'ftruncate': (errno.EIO, errno.ENOSPC),
    'fallocate': (errno.ENOSPC,), 'flock': (errno.ENOLCK,), 'mkdir': (errno.EACCES, errno.ENOSPC),
    'chmod': (errno.EPERM,), 'fclose': (errno.EIO,), 'fflush': (errno.ENOSPC,), 'fwrite': (errno.ENOSPC,),
    'fread': (errno.EIO,), 'pthread_create': (errno.EAGAIN,), 'pipe': (errno.EMFILE,), 'eventfd': (errno.EMFILE,),
    'opendir': (errno.EMFILE, errno.EACCES), 'memfd_create': (errno.EMFILE,), 'socket': (errno.EMFILE,),
    'accept': (errno.EMFILE,), 'bind': (errno.EACCES,), 'listen': (errno.EACCES,), 'recv': (errno.ECONNRESET,),
    'send': (errno.EPIPE,), 'link': (errno.EACCES,), 'posix_spawnp': (errno.EAGAIN,), 'new': (errno.ENOMEM,),
    'malloc': (errno.ENOMEM,), 'mmap': (errno.ENOMEM,), 'poll': (errno.ENOMEM,), 'getrandom': (errno.EIO,),
    'stat': (errno.EIO, errno.EACCES), 'access': (errno.EACCES,),
}
OTHER_ERRORS = (errno.EIO,)
# The caller of NVIDIA's libraries (tests/support/failing_driver.cpp), and what their functions can return:
# CUDA_ERROR_OUT_OF_MEMORY and CUDA_ERROR_UNKNOWN; NVJPEG_STATUS_ALLOCATOR_FAILURE and NVJPEG_STATUS_EXECUTION_FAILED.
GPU = 'gpu'
DRIVER_ERRORS, NVJPEG_ERRORS = ('2', '999'), ('5', '6')
ALLOCATIONS = ('new', 'malloc')
# These calls transfer bytes, so a part of them can be transferred, and a signal can interrupt them.
TRANSFERS = ('read', 'write', 'recv', 'send')
# A signal can interrupt these calls, too. The locks don't wait.
WAITS = ('poll', 'accept')
# These calls change what is on the disk, or read the input.
ON_DISK = ('write', 'fsync', 'rename', 'open', 'fopen', 'read', 'close', 'unlink', 'ftruncate', 'fallocate', 'flock',
           'mkdir', 'fclose', 'fflush', 'fwrite', 'link', 'chmod')
# The system can't fail these calls: an event that never waits takes all its eight bytes.
SURE = re.compile('StopEvent3set')
# Who reads the input and writes the output, besides the program itself.
IO_LIBRARIES = ('libavformat', 'libavutil')


@dataclasses.dataclass(frozen=True)
class Fault:
    """One fault. `do` is a word of tests/support/failing_calls.cpp: an errno, short, kill, int or term."""
    call: str
    caller: str
    nth: int
    do: str
    sticky: bool = False

    @property
    def kind(self):
        """How the summary calls it."""
        if self.caller == GPU:
            return 'GPU, sticky' if self.sticky else 'GPU'
        if self.call in ALLOCATIONS:
            return 'no memory'
        if self.sticky:
            return 'errno, sticky'
        if self.do == str(errno.EINTR):
            return 'EINTR'
        return self.do if not self.do.isdigit() else 'errno'

    def text(self):
        return f"{self.call} {self.caller} {self.nth} {self.do}{' sticky' if self.sticky else ''}"

    @staticmethod
    def of_text(text):
        words = text.split()
        return Fault(words[0], words[1], int(words[2]), words[3], words[4:] == ['sticky'])

    def environment(self):
        variables = {'FACEPIPE_FAIL': f'{self.call} {self.caller} {self.nth} {self.do}'}
        if self.sticky:
            variables['FACEPIPE_FAIL_ON'] = '1'
        return variables


# Stands for no fault at all.
NO_FAULT = Fault('none', 'none', 0, 'none')


def is_library(caller):
    return caller.startswith('lib')


def some(count):
    """The numbers of the first call, of one in the middle, and of the last one."""
    return sorted({1, (count + 1) // 2, count})


def kill_points(count):
    """The numbers of nine calls or fewer, from the first to the last one."""
    return sorted({1 + (count - 1) * part // 8 for part in range(9)})


def faults_of(call, caller, count, task):
    """Returns all faults that are tried with one caller of a function, which has called it `count` times."""
    if caller == GPU:
        return faults_of_gpu(call, count)
    errors = ERRORS.get(call, OTHER_ERRORS)
    if call in ALLOCATIONS:
        return [Fault(call, caller, nth, str(errors[0])) for nth in some(count)]
    if SURE.search(caller):
        return [Fault(call, caller, nth, do) for nth in some(count) for do in ('kill', 'int')]
    words = [str(error) for error in errors]
    words += ['short'] if call in TRANSFERS else []
    words += [str(errno.EINTR)] if call in TRANSFERS + WAITS else []
    if not is_library(caller):
        words += ['int'] + (['term'] if task else [])
    found = [Fault(call, caller, nth, do) for nth in some(count) for do in words]
    if not is_library(caller) or (caller in IO_LIBRARIES and call in ON_DISK):
        found += [Fault(call, caller, nth, 'kill') for nth in kill_points(count)]
    return found + [Fault(call, caller, nth, words[0], sticky=True) for nth in sorted({1, (count + 1) // 2})]


def faults_of_gpu(call, count):
    """Returns the faults of a function of NVIDIA's libraries. The call "any" stands for all functions together."""
    if call == 'any':
        return [Fault(call, GPU, max(1, count * part // 32), DRIVER_ERRORS[1], sticky=True) for part in range(32)]
    if call == 'cuInit':
        count = 1  # libnvcuvid makes the later calls in a thread of its own, and waits for ever if they fail
    errors = NVJPEG_ERRORS if call.startswith('nvjpeg') else DRIVER_ERRORS
    return [Fault(call, GPU, nth, do) for nth in some(count) for do in errors]


def faults_of_sites(sites, task):
    """Returns the faults of a command, those of input and output first, in an order that is mixed but always the same.

    @param sites  {(call, caller): count} of a run without faults
    """
    found = []
    for (call, caller), count in sites.items():
        if is_library(caller) and call not in ALLOCATIONS + ('pthread_create',) and caller not in IO_LIBRARIES:
            continue  # how OpenVINO reads its own files is its own business
        found += faults_of(call, caller, count, task)
    if any(caller == GPU for _, caller in sites):
        return found
    # No memory from here on, wherever it is asked for.
    news = sum(count for (call, caller), count in sites.items() if call == 'new' and not is_library(caller))
    found += [Fault('new', 'own', max(1, news * part // 16), str(errno.ENOMEM), sticky=True) for part in range(16)]
    return sorted(found, key=lambda fault: (rank(fault), hashlib.sha256(fault.text().encode()).digest()))


def rank(fault):
    if fault.call in ON_DISK:
        return 0
    return 2 if fault.call in ALLOCATIONS else 1
