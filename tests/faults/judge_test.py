"""Tests that the sweep notices what it must notice, with commands that are small programs of a few words."""
import pathlib
import stat
import tempfile
import unittest

from commands import Command, Outcome, all_bytes, log_is_a_chain, report
from expected import allowed_codes, row_of
from faults import NO_FAULT, Fault, faults_of, faults_of_sites, kill_points, some
from judge import Baseline, judge, pixels_shown

WRITE = 'write _ZN8facepipe10OutputFile5writeEv'


class Judging(unittest.TestCase):
    """Judges what a program leaves that should write `done` into the file out."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / 'work'
        self.command = Command([], {'out': all_bytes, 'r.json': report})
        self.command.prepare(self.folder)
        self.leave(out='done', **{'r.json': '[{"status": "done"}]'})
        self.baseline = Baseline(self.command, self.folder, Outcome(0, ''))
        self.command.prepare(self.folder)

    def leave(self, **files):
        for name, text in files.items():
            (self.folder / name).write_text(text)

    def judged(self, code, error='', fault='1 28', **files):
        self.leave(**files)
        return judge(self.command, Fault.of_text(f'{WRITE} {fault}'), Outcome(code, error), self.folder, self.baseline)

    def test_a_failure_with_one_line_and_no_file_is_right(self):
        self.assertEqual(self.judged(5, 'facepipe: error: out: the disk is full\n'), [])

    def test_a_failure_that_keeps_a_partial_file_and_tells_of_itself_is_right(self):
        wrong = self.judged(5, 'facepipe: error: out: the disk is full\n',
                            **{'out.partial.mp4': '', '.out.facepipe': '', 'r.json': '[{"status": "failed"}]'})
        self.assertEqual(wrong, [])

    def test_a_success_needs_all_files(self):
        wrong = self.judged(0, out='done')
        self.assertEqual(wrong, ['r.json is missing'])

    def test_a_success_leaves_nothing_else(self):
        wrong = self.judged(0, out='done', **{'r.json': '[{"status": "done"}]', '.out.facepipe': ''})
        self.assertEqual(len(wrong), 1)
        self.assertIn('after a success', wrong[0])

    def test_an_incomplete_file_must_not_have_the_final_name(self):
        self.assertIn('out is not what it is', self.judged(5, 'facepipe: error: out: the disk is full\n', out='do')[0])

    def test_a_report_must_be_whole(self):
        wrong = self.judged(5, 'facepipe: error: out: the disk is full\n', **{'r.json': '[{"sta'})
        self.assertIn('r.json is not what it is', wrong[0])

    def test_no_temporary_file_may_stay(self):
        wrong = self.judged(5, 'facepipe: error: out: the disk is full\n', **{'out.tmp-abc': ''})
        self.assertEqual(wrong, ["left ['out.tmp-abc']"])

    def test_a_failure_needs_one_line(self):
        for error in ('', 'two\nlines\n', 'facepipe: error: out: a\nfacepipe: error: out: b\n', 'facepipe: error: \n'):
            self.assertEqual(len(self.judged(5, error)), 1, error)

    def test_each_file_may_have_its_line_if_all_fail(self):
        lines = 'facepipe: error: out: is not written\nfacepipe: error: r.json: is not written\n'
        self.assertEqual(self.judged(5, lines, '1 28 sticky'), [])
        self.assertNotEqual(self.judged(5, lines), [])
        self.assertNotEqual(self.judged(5, 2 * 'facepipe: error: out: is not written\n', '1 28 sticky'), [])

    def test_the_exit_code_is_that_of_the_table(self):
        self.assertIn('exit code 3', self.judged(3, 'facepipe: error: out: the disk is full\n')[0])

    def test_a_part_of_the_bytes_is_no_failure(self):
        self.assertIn('exit code 5', self.judged(5, 'facepipe: error: out: the disk is full\n', '1 short')[0])

    def test_a_library_without_memory_may_say_so_itself(self):
        lines = 'double free\nfacepipe: error: a library has aborted the program\n'
        self.command.task = False
        for caller, wrong in (('libseccomp', 0), ('_Zf', 1)):
            outcome = Outcome(1, lines)
            found = judge(self.command, Fault.of_text(f'malloc {caller} 1 12'), outcome, self.folder, self.baseline)
            self.assertEqual(len(found), wrong, found)

    def test_a_task_keeps_no_partial_file(self):
        self.command.task = True
        wrong = self.judged(75, 'facepipe: error: out: the disk is full\n', **{'out.partial.mp4': ''})
        self.assertEqual(wrong, ["left ['out.partial.mp4']"])

    def test_a_command_that_hangs_is_wrong(self):
        self.assertEqual(len(judge(self.command, NO_FAULT, Outcome(-9, '', hung=True), self.folder, self.baseline)), 1)

    def test_a_command_runs_at_most_ten_seconds(self):
        program = self.folder / 'program'
        program.write_text('#!/bin/sh\necho "facepipe: error: no file" >&2\nexit 3\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        outcome = self.command.start(program, self.folder, {})
        self.assertEqual((outcome.code, outcome.error, outcome.hung), (3, 'facepipe: error: no file\n', False))


class Pixels(unittest.TestCase):
    def test_counts_hidden_samples_that_are_shown(self):
        original, complete = bytes([10, 20, 30, 40]), bytes([0, 0, 30, 40])
        self.assertEqual(pixels_shown(complete, complete, original), 0)
        self.assertEqual(pixels_shown(bytes([10, 0, 30, 40]), complete, original), 1)
        self.assertEqual(pixels_shown(bytes([9, 20, 30, 40]), complete, original), 2)

    def test_hiding_more_is_right(self):
        self.assertEqual(pixels_shown(bytes([0, 0, 0, 0]), bytes([0, 0, 30, 40]), bytes([10, 20, 30, 40])), 0)


class Logs(unittest.TestCase):
    def test_a_changed_line_breaks_the_chain(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / 'log'
            log.write_text('{"previous": "' + '0' * 64 + '"}\n')
            self.assertTrue(log_is_a_chain(log))
            log.write_text(log.read_text() * 2)
            self.assertFalse(log_is_a_chain(log))


class Faults(unittest.TestCase):
    def test_first_middle_and_last_calls_are_chosen(self):
        self.assertEqual([some(1), some(2), some(9)], [[1], [1, 2], [1, 5, 9]])

    def test_each_way_to_fail_is_tried(self):
        texts = {fault.text() for fault in faults_of('write', '_Zf', 9, task=True)}
        for nth in (1, 5, 9):
            for do in ('28', '5', '4', 'short', 'kill', 'int', 'term'):
                self.assertIn(f'write _Zf {nth} {do}', texts)
        self.assertIn('write _Zf 1 28 sticky', texts)
        self.assertEqual(len(texts), 29)  # kills are at nine places

    def test_kills_are_spread_over_all_calls(self):
        self.assertEqual([kill_points(1), kill_points(3), kill_points(17)],
                         [[1], [1, 2, 3], [1, 3, 5, 7, 9, 11, 13, 15, 17]])

    def test_a_library_is_killed_while_it_reads_and_writes(self):
        def kills(call, caller):
            return {fault.do for fault in faults_of(call, caller, 1, task=False)} & {'kill', 'int'}
        self.assertEqual(kills('write', 'libavformat'), {'kill'})
        self.assertEqual(kills('pthread_create', 'libavformat'), set())
        self.assertEqual(kills('write', 'libopenvino'), set())

    def test_a_function_of_the_gpu_fails_with_its_own_numbers(self):
        found = faults_of_sites({('cuMemAlloc_v2', 'gpu'): 2, ('nvjpegEncodeYUV', 'gpu'): 1, ('cuInit', 'gpu'): 3,
                                 ('any', 'gpu'): 64}, task=False)
        texts = [fault.text() for fault in found if not fault.sticky]
        self.assertEqual(sorted(texts), ['cuInit gpu 1 2', 'cuInit gpu 1 999', 'cuMemAlloc_v2 gpu 1 2', 'cuMemAlloc_v2 gpu 1 999',
                                         'cuMemAlloc_v2 gpu 2 2',
                                         'cuMemAlloc_v2 gpu 2 999', 'nvjpegEncodeYUV gpu 1 5', 'nvjpegEncodeYUV gpu 1 6'])
        self.assertEqual({fault.call for fault in found if fault.sticky}, {'any'})
        self.assertEqual([allowed_codes(found[0], task, 0) for task in (False, True)], [{0, 4, 6}, {0, 4, 6, 75}])

    def test_input_and_output_come_first(self):
        faults = faults_of_sites({('new', '_Zf'): 1, ('poll', '_Zf'): 1, ('write', '_Zf'): 1}, task=False)
        calls = list(dict.fromkeys(fault.call for fault in faults))
        self.assertEqual(calls, ['write', 'poll', 'new'])

    def test_a_fault_is_read_as_it_is_printed(self):
        for text in ('write _Zf 3 28', 'read libavformat 1 short', 'write _Zf 3 28 sticky'):
            self.assertEqual(Fault.of_text(text).text(), text)

    def test_a_full_disk_is_no_end_of_a_task(self):
        full, broken = Fault.of_text(f'{WRITE} 1 28'), Fault.of_text(f'{WRITE} 1 5')
        self.assertEqual(allowed_codes(full, False, 0), {0, 5})
        self.assertEqual(allowed_codes(full, True, 0), {0, 75})
        self.assertIn(5, allowed_codes(broken, True, 0))
        self.assertEqual(allowed_codes(Fault.of_text(f'{WRITE} 1 kill'), False, 0), {-9})

    def test_every_fault_has_a_row(self):
        self.assertFalse(row_of(NO_FAULT).must_fail)


if __name__ == '__main__':
    unittest.main()
