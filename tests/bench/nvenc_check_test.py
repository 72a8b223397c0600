"""Tests nvenc_check without a GPU: how it parses and judges handmade texts, and a rehearsal on the CPU."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import doctor
import nvenc_runs
import tools
from nvenc_runs import Ended, Probe, Quality, Run

SCRIPT = pathlib.Path(nvenc_runs.__file__).parent / "nvenc_check"
FACEPIPE = os.environ["FACEPIPE_PROGRAM"]
# These tests don't depend on the faces that are drawn. Without a network, each start of the program is faster.
NO_NETWORK = ["--model", str(SCRIPT.parents[1] / "data" / "acf_face.json")]
PLAIN = Run("plain", "plain.mp4", "--codec h264_nvenc", "h264_nvenc")

HEAD = """facepipe 0.1.0
build
  FFmpeg        7.1 (libavcodec 61.19.100, libavformat 61.7.100)
devices
  cpu           usable: a processor, 8 cores
  cuda          {usable}
cuda
  runtime       13.0
  driver        {driver}
"""
WITH_NVENC = HEAD.format(usable="usable", driver="for CUDA up to 13.0 (release 580.1)") + """\
  cuda:0        NVIDIA H100 PCIe, compute capability 9.0, 79.2 GiB, 114 multiprocessors
    NVDEC       h264       4:2:0 8 bits, 48x16 to 4096x4096
    NVENC       h264_nvenc 8 bits: no: OpenEncodeSessionEx failed: unsupported device (2)
    NVENC       hevc_nvenc 8 bits: no: OpenEncodeSessionEx failed: unsupported device (2)
  cuda:1        NVIDIA L4, compute capability 8.9, 22.0 GiB, 58 multiprocessors
    NVENC       h264_nvenc 8 bits: works
    NVENC       hevc_nvenc 8 bits: works
    NVENC       hevc_nvenc 10 bits: no: 10 bit encode not supported
decoders
"""
WITHOUT_NVENC = WITH_NVENC.partition("  cuda:1")[0]
NO_DRIVER = HEAD.format(usable="not usable: --device cuda:0: no CUDA device: NVIDIA's driver isn't installed",
                        driver="not installed")

nvenc_check = tools.script("bench/nvenc_check")


def packets(times, keys=(0,)):
    return [{"pts_time": str(time), "dts_time": str(index / 25 - 0.08), "flags": "K__" if index in keys else "___"}
            for index, time in enumerate(times)]


def probed(times=(0.0, 0.12, 0.04, 0.08), said="", **stream):
    facts = {"codec_name": "h264", "width": 1280, "height": 720, "pix_fmt": "yuv420p", "time_base": "1/12800",
             "nb_read_frames": str(len(times)), **stream}
    return nvenc_runs.read_probe(json.dumps({"streams": [facts], "packets": packets(times)}), said)


def report(**changes):
    return {"frames": {"decoded": 4, "written": 4, "lost": 0, "damaged": 0}, "encoder": "h264_nvenc",
            "copies": {"download": {"bytes": 0}}, **changes}


class Doctor(unittest.TestCase):
    def test_chips_and_what_they_encode(self):
        first, second = doctor.chips(WITH_NVENC)
        self.assertEqual((first.device, first.name, first.encodes()), ("cuda:0", "NVIDIA H100 PCIe", []))
        self.assertEqual(second.encodes(), ["h264_nvenc, 8 bits", "hevc_nvenc, 8 bits"])
        self.assertEqual(second.trials["hevc_nvenc, 10 bits"], "10 bit encode not supported")

    def test_versions(self):
        self.assertEqual(doctor.cuda_versions(WITH_NVENC), "runtime 13.0, driver for CUDA up to 13.0 (release 580.1)")
        self.assertEqual(doctor.ffmpeg_version(WITH_NVENC), "7.1 (libavcodec 61.19.100, libavformat 61.7.100)")

    def test_the_first_chip_with_nvenc_is_taken(self):
        self.assertEqual(nvenc_check.chip_to_try(WITH_NVENC).device, "cuda:1")

    def refusal(self, told):
        with self.assertRaises(nvenc_check.Refused) as refused:
            nvenc_check.chip_to_try(told)
        self.assertEqual(refused.exception.code, 4)
        return str(refused.exception)

    def test_a_chip_without_nvenc_is_refused_with_its_reason(self):
        self.assertEqual(self.refusal(WITHOUT_NVENC), "no chip with NVENC here: NVIDIA H100 PCIe: "
                         "OpenEncodeSessionEx failed: unsupported device (2)")
        untried = WITHOUT_NVENC.partition("    NVENC")[0] + "    NVENC       not tried: out of memory\n"
        self.assertIn("out of memory", self.refusal(untried))

    def test_no_device_is_refused(self):
        self.assertEqual(self.refusal(NO_DRIVER), "no CUDA device: NVIDIA's driver isn't installed")


class Files(unittest.TestCase):
    def wrong(self, made, source=None):
        return nvenc_runs.wrong_in_file(PLAIN, source or probed(), made)

    def test_an_equal_file_is_right(self):
        self.assertEqual(self.wrong(probed()), [])

    def test_what_differs_is_told(self):
        self.assertEqual(self.wrong(probed(width=1278)), ["width is 1278, not 1280"])
        self.assertEqual(self.wrong(probed(codec_name="hevc")), ["codec_name is hevc, not h264"])
        self.assertEqual(self.wrong(probed(pix_fmt="yuv444p")), ["pix_fmt is yuv444p, not yuv420p"])
        self.assertEqual(self.wrong(probed(), probed(color_space="bt709")), ["color_space is None, not bt709"])
        self.assertEqual(self.wrong(probed(nb_read_frames="3")), ["3 frames decode, not 4"])
        self.assertEqual(self.wrong(probed(said="bad\nworse")), ["decoding says: bad"])

    def test_times_may_differ_by_a_tick(self):
        self.assertEqual(self.wrong(probed((0.0, 0.12, 0.04, 0.0801), time_base="1/1000")), [])
        self.assertEqual(self.wrong(probed((0.0, 0.16, 0.04, 0.08))), ["a time stamp is 0.0400 s off"])
        self.assertIn("3 time stamps, not 4", self.wrong(probed((0.0, 0.04, 0.08))))

    def test_decoding_times_rise(self):
        made = probed()
        made.decoding[2] = made.decoding[1]
        self.assertEqual(self.wrong(made), ["decoding times don't rise"])

    def test_nothing_at_all(self):
        made = nvenc_runs.read_probe("", "no such file")
        self.assertEqual(made, Probe({}, [], [], False, 0, "no such file"))
        self.assertGreater(len(self.wrong(made)), 3)


class Ends(unittest.TestCase):
    def test_reports(self):
        def wrong(**changes):
            return nvenc_runs.wrong_in_report(PLAIN, report(**changes), 4)
        self.assertEqual(wrong(), [])
        self.assertEqual(wrong(encoder="libx264"), ["encoder libx264, not h264_nvenc"])
        self.assertEqual(wrong(copies={"download": {"bytes": 9}}), ["9 bytes of pictures left the device"])
        self.assertEqual(wrong(frames={"decoded": 4, "written": 3, "lost": 1, "damaged": 0}),
                         ["written frames: 3, not 4", "lost frames: 1, not 0"])

    def test_exit_codes_and_words(self):
        refused = Run("odd", "odd.mkv", "", code=5, said="even sizes")
        self.assertEqual(nvenc_runs.wrong_in_end(refused, Ended(5, "takes even sizes")), [])
        self.assertEqual(nvenc_runs.wrong_in_end(refused, Ended(1, "no")),
                         ["exit 1, not 5", 'doesn\'t say "even sizes"'])
        self.assertEqual(nvenc_runs.wrong_in_end(PLAIN, Ended(None, "")), ["was stopped, it took too long"])

    def test_a_program_s_end(self):
        ended = nvenc_runs.run_program([sys.executable, "-c", "import sys; sys.exit('why')"])
        self.assertEqual((ended.code, ended.said), (1, "why\n"))

    def test_what_the_chip_has_not_is_skipped(self):
        deep = Run("deep", "deep.mkv", "", "hevc_nvenc", "yuv420p10le")
        verdict = nvenc_runs.verdict_of(None, deep, doctor.chips(WITH_NVENC)[1].trials)
        self.assertEqual((verdict.word(), verdict.facts),
                         ("skipped", "the chip has it not: 10 bit encode not supported"))


class Pictures(unittest.TestCase):
    def test_psnr_is_read(self):
        text = "[Parsed_psnr_4 @ 0x1] PSNR y:41.1 u:44.0 v:45.2 average:42.25 min:39.50 max:44.1"
        self.assertEqual(nvenc_runs.read_quality(text), Quality(42.25, 39.5))
        self.assertLess(nvenc_runs.read_quality("Invalid data").mean_db, 0)

    def test_bad_pictures_are_told(self):
        x264 = Quality(42, 40)
        self.assertEqual(nvenc_runs.wrong_in_quality(Quality(41, 39), x264), [])
        self.assertEqual(len(nvenc_runs.wrong_in_quality(Quality(30, 29), x264)), 1)
        self.assertEqual(len(nvenc_runs.wrong_in_quality(Quality(41, 20), x264)), 1)


class Texts(unittest.TestCase):
    def test_google_test_s_verdicts(self):
        suites = {"testsuites": [{"name": "Nvenc", "testsuite": [
            {"name": "Works", "status": "RUN", "result": "COMPLETED"},
            {"name": "Fails", "status": "RUN", "result": "COMPLETED", "failures": [{"failure": "a.cpp:1\nno"}]},
            {"name": "Skips", "status": "RUN", "result": "SKIPPED"}]}]}
        found = nvenc_check.read_tests("test_nvenc_cuda", json.dumps(suites))
        self.assertEqual([verdict.word() for verdict in found], ["passed", "FAILED", "skipped"])
        self.assertEqual(found[1].name, "test_nvenc_cuda: Nvenc.Fails")
        text = nvenc_check.body(found, "told")
        self.assertTrue(text.startswith("3 checks: 1 failed, 1 skipped\n"))
        self.assertIn("--- test_nvenc_cuda: Nvenc.Fails\na.cpp:1\nno", text)

    def test_a_rehearsal_names_no_nvenc(self):
        for run in nvenc_runs.rehearsal(nvenc_runs.runs()):
            self.assertNotIn("nvenc", run.words + run.encoder)


class Command(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.to = self.folder / "told.txt"

    def check(self, *words):
        return subprocess.run([sys.executable, "-B", SCRIPT, "--to", self.to, *words], capture_output=True, text=True,
                              check=False)

    def program_that_tells(self, told):
        program = self.folder / "facepipe"
        program.write_text(f"#!/bin/sh\ncat <<'TEXT'\n{told}\nTEXT\n")
        program.chmod(0o755)
        return program

    def test_without_a_chip_one_line_is_said_and_nothing_written(self):
        for told, reason in ((WITHOUT_NVENC, "no chip with NVENC here: "), (NO_DRIVER, "no CUDA device: ")):
            done = self.check("--facepipe", self.program_that_tells(told))
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (4, "", 1))
            self.assertTrue(done.stderr.startswith(f"nvenc_check: {reason}"), done.stderr)
            self.assertFalse(self.to.exists())

    def test_what_is_wrong_with_its_own_words(self):
        self.assertEqual(self.check("--to", self.folder / "none" / "told.txt").returncode, 2)
        done = self.check("--facepipe", self.folder / "none")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))

    def test_a_rehearsal(self):
        done = self.check("--facepipe", FACEPIPE, "--rehearse", "--only", "194x130", "--options", " ".join(NO_NETWORK))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        text = self.to.read_text()
        self.assertIn("2 checks: 0 failed, 0 skipped", text)
        self.assertIn("passed  HEVC: 194x130: libx265, ", text)
        self.assertNotIn(str(self.folder), text)

    def test_a_failure_is_told_with_what_was_said(self):
        done = self.check("--facepipe", FACEPIPE, "--rehearse", "--only", "H.264: 194x130", "--options", "--score 7")
        self.assertEqual(done.returncode, 1)
        text = self.to.read_text()
        self.assertIn("FAILED  H.264: 194x130: exit 2\n        exit 2, not 0\n", text)
        self.assertRegex(text, r"--- H.264: 194x130\n.*--score")


if __name__ == "__main__":
    unittest.main()
