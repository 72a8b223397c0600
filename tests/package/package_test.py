"""Tests the scripts of package/ with a small tree instead of an installed facepipe: what the packages contain, that
equal trees give equal packages, and that broken promises are found."""
import base64
import csv
import hashlib
import io
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "package"))
import chips  # noqa: E402  (the folder must be known first)
import promise  # noqa: E402

TIME = 1767312000  # 2026-01-02 00:00 UTC


def run(script, *words):
    return subprocess.run([sys.executable, "-B", SOURCE / "package" / script, *map(str, words)], check=False,
                          capture_output=True, text=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(TIME)})


class Trees(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def tree(self, name):
        """Makes what `cmake --install` and parts.py make. The files have the times of now."""
        tree = self.folder / name
        for path, text in (("bin/facepipe", "#!/bin/sh\necho facepipe\n"), ("lib/facepipe/libav.so.1", "library"),
                           ("share/facepipe/models/centerface.onnx", "model"), ("share/man/man1/facepipe.1", "page"),
                           ("share/zsh/site-functions/_facepipe", "zsh"), ("share/doc/facepipe/LICENSE", "licence"),
                           ("share/doc/facepipe/licences/x264.txt", "GPL"), ("share/doc/facepipe/sbom.cdx.json", "{}")):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        (tree / "bin" / "facepipe").chmod(0o755)
        return tree

    def made(self, script, tree, name, *options):
        to = self.folder / name
        ended = run(script, tree, "--to", to, *options)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return to

    def test_equal_trees_give_equal_packages(self):
        for script, options in (("tarball.py", ["--name", "facepipe-0.1.0"]), ("wheel.py", ["--name", "facepipe", "--version", "0.1.0"])):
            first = self.made(script, self.tree("first"), "first.package", *options)
            for path in (self.folder / "first").rglob("*"):
                os.utime(path, (1, 1))
            second = self.made(script, self.folder / "first", "second.package", *options)
            self.assertEqual(first.read_bytes(), second.read_bytes(), script)
            self.assertNotEqual(self.changed(script, options), first.read_bytes(), script)

    def changed(self, script, options):
        tree = self.tree("changed")
        (tree / "bin" / "facepipe").write_text("#!/bin/sh\necho other\n")
        return self.made(script, tree, "changed.package", *options).read_bytes()

    def test_a_tarball_has_one_folder_that_root_owns(self):
        with tarfile.open(self.made("tarball.py", self.tree("t"), "t.tar.xz", "--name", "facepipe-0.1.0")) as tar:
            for entry in tar:
                self.assertEqual(entry.name.split("/")[0], "facepipe-0.1.0")
                self.assertEqual((entry.uid, entry.gid, entry.mtime), (0, 0, TIME))
            self.assertEqual(tar.getmember("facepipe-0.1.0/bin/facepipe").mode, 0o755)
            self.assertEqual(tar.getmember("facepipe-0.1.0/lib/facepipe/libav.so.1").mode, 0o644)

    def test_a_wheel_lists_its_files_with_their_hashes(self):
        with zipfile.ZipFile(self.made("wheel.py", self.tree("w"), "w.whl", "--name", "facepipe", "--version", "0.1.0")) as wheel:
            listed = {name: (digest, size) for name, digest, size in
                      csv.reader(io.StringIO(wheel.read("facepipe-0.1.0.dist-info/RECORD").decode()))}
            self.assertCountEqual(listed, wheel.namelist())
            self.assertEqual(listed.pop("facepipe-0.1.0.dist-info/RECORD"), ("", ""))
            for name, (digest, size) in listed.items():
                content = wheel.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={expected}", str(len(content))))
            self.assertEqual(wheel.getinfo("facepipe/bin/facepipe").external_attr >> 16, 0o100755)
            for name in ("facepipe/__init__.py", "facepipe/py.typed", "facepipe/lib/facepipe/libav.so.1",
                         "facepipe/share/facepipe/models/centerface.onnx",
                         "facepipe-0.1.0.data/data/share/man/man1/facepipe.1",
                         "facepipe-0.1.0.dist-info/licenses/x264.txt", "facepipe-0.1.0.dist-info/sboms/sbom.cdx.json"):
                self.assertIn(name, listed)

    def test_the_wheel_for_gpus_has_another_name_and_the_same_module(self):
        with zipfile.ZipFile(self.made("wheel.py", self.tree("w"), "w.whl", "--name", "facepipe-cuda", "--version",
                                       "0.1.0")) as wheel:
            self.assertIn("Name: facepipe-cuda\n", wheel.read("facepipe_cuda-0.1.0.dist-info/METADATA").decode())
            for name in ("facepipe/__init__.py", "facepipe/bin/facepipe",
                         "facepipe_cuda-0.1.0.data/data/share/man/man1/facepipe.1"):
                self.assertIn(name, wheel.namelist())

    @unittest.skipUnless(shutil.which("dpkg-deb"), "there is no dpkg-deb")
    def test_only_one_of_the_two_debian_packages_can_be_installed(self):
        for name, other in (("facepipe", "facepipe-cuda"), ("facepipe-cuda", "facepipe")):
            tree = self.tree(name)
            (tree / "share/doc/facepipe/CHANGELOG.md").write_text("changes")
            script = tree / "share" / "facepipe" / "slurm" / "task.sh"
            script.parent.mkdir()
            script.write_text("#!/bin/sh\n")
            script.chmod(0o700)
            for library in ("libbz2.so.1.0", "libz.so.1"):
                (tree / "lib/facepipe" / library).write_text("library")
            deb = self.made("deb.py", tree, f"{name}.deb", "--name", name, "--version", "0.1.0", "--work",
                            self.folder / "work")
            said = subprocess.run(["dpkg-deb", "--field", deb, "Package", "Conflicts"], check=True, capture_output=True,
                                  text=True).stdout
            self.assertEqual(said, f"Package: {name}\nConflicts: {other}\n")
            listed = subprocess.run(["dpkg-deb", "--contents", deb], check=True, capture_output=True, text=True).stdout
            for file in ("usr/bin/facepipe", f"usr/share/doc/{name}/copyright", f"usr/share/doc/{name}/licences/x264.txt",
                         f"usr/share/lintian/overrides/{name}"):
                self.assertIn(f" ./{file}\n", listed)
            programs = [line.split()[-1] for line in listed.splitlines() if line.startswith("-rwxr-xr-x")]
            self.assertCountEqual(programs, ["./usr/bin/facepipe", "./usr/share/facepipe/slurm/task.sh"])

    def test_an_installed_wheel_runs(self):
        wheel = self.made("wheel.py", self.tree("w"), "facepipe-0.1.0-py3-none-any.whl", "--name", "facepipe",
                          "--version", "0.1.0")
        ended = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                                "--no-index", "--no-deps", "--target", self.folder / "installed", wheel],
                               check=False, capture_output=True, text=True)
        if "No module named pip" in ended.stderr:
            self.skipTest("this Python has no pip")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "installed")}
        environment.pop("FACEPIPE_PROGRAM", None)
        said = subprocess.run([sys.executable, "-m", "facepipe"], check=True, capture_output=True, text=True,
                              env=environment).stdout
        self.assertEqual(said, "facepipe\n")


class Chips(unittest.TestCase):
    @staticmethod
    def container(*found):
        body = b"".join(struct.pack("<HHIQ12xI32x", form, 1, 64, 8, chip) + bytes(8) for form, chip in found)
        return struct.pack("<IHHQ", chips.MAGIC, 1, 16, len(body)) + body

    def test_the_code_of_each_source_is_found(self):
        content = self.container((2, 75), (1, 90)) + bytes(24) + self.container((2, 90))
        self.assertEqual([list(one) for one in chips.containers(content)], [[(2, 75, 8), (1, 90, 8)], [(2, 90, 8)]])
        self.assertEqual(list(chips.containers(bytes(64))), [])

    def test_what_is_needed_has_the_forms_of_cmake(self):
        self.assertEqual(chips.needed("75-real;86-virtual;120"), {(2, 75), (1, 86), (1, 120), (2, 120)})


class Promises(unittest.TestCase):
    def test_newer_symbols_are_found(self):
        for version in ("GLIBC_2.37", "GLIBC_2.36.1", "GLIBC_PRIVATE", "GLIBCXX_3.4.31", "CXXABI_1.3.14", "GCC_13.0.0"):
            self.assertTrue(promise.is_too_new(version), version)
        for version in ("GLIBC_2.36", "GLIBC_2.2.5", "GLIBCXX_3.4.30", "GLIBCXX_3.4", "CXXABI_1.3.13", "GCC_3.0",
                        "CXXABI_FLOAT128", "LIBAVCODEC_59"):
            self.assertFalse(promise.is_too_new(version), version)

    @unittest.skipUnless(shutil.which("cc") and shutil.which("readelf"), "there is no compiler")
    def test_what_a_file_needs_is_checked(self):
        with tempfile.TemporaryDirectory() as name:
            tree = pathlib.Path(name)
            (tree / "f.c").write_text("int f(void) { return 1; }\n")
            (tree / "g.c").write_text('int f(void);\nconst char* g(void) { return f() ? "/the/build/folder" : ""; }\n')
            subprocess.run(["cc", "-shared", "-fPIC", "-o", "libf.so", "-Wl,-soname,libf.so", "f.c"], cwd=tree, check=True)
            subprocess.run(["cc", "-shared", "-fPIC", "-o", "libg.so", "g.c", "-L.", "-lf", "-Wl,-rpath,/the/place"],
                           cwd=tree, check=True)
            (tree / "f.c").unlink()
            (tree / "g.c").unlink()
            self.assertEqual(promise.problems(tree, ["/the/build"]),
                             ["libg.so contains /the/build", "libg.so looks for libraries in /the/place"])
            (tree / "libf.so").unlink()
            self.assertEqual(promise.problems(tree, []),
                             ["libg.so needs libf.so", "libg.so looks for libraries in /the/place"])

    def test_a_folder_is_found_and_other_folders_are_not_taken_for_it(self):
        for content in (b"\0/home/me/x.cpp\0", b"/home/me", b"--prefix=/home/me/usr", b"-I/home/me/include", b"-L/home/me",
                        b"-isystem/home/me", b"file:///home/me/x", b"'/home/me'", b"a:/home/me:b"):
            self.assertTrue(promise.names(content, "/home/me"), content)
            self.assertTrue(promise.names(content, "/home/me/"), content)
        for content in (b"/home/merlin/x", b"/home/me.old/x", b"/srv/home/me/x", b"x-/home/me", b"/home/m"):
            self.assertFalse(promise.names(content, "/home/me"), content)


if __name__ == "__main__":
    unittest.main()
