"""pages_test.py: opens the pages of --report-html in Chromium: wide and narrow, light and dark, on paper, without scripts.

./dev test --pages runs it. Variables of the environment: FACEPIPE_PROGRAM names the program; PAGES_PICTURES names a
folder for pictures of the pages, if a person wants to look at them.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import page_checks

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    MISSING = [name for name in ("chromium", "chromedriver", "ffmpeg") if not shutil.which(name)]
except ImportError:
    MISSING = ["python3-selenium"]

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PHOTO = SOURCE / "data" / "fetched" / "demo" / "city.jpg"
PROGRAM = os.environ.get("FACEPIPE_PROGRAM", str(SOURCE / "build" / "facepipe"))
HOSTILE = '"><script>document.title="run"<'
WIDE, NARROW = (1280, 900), (390, 844)
MOST_LOAD_MS = 500


def make_clip(path, seconds=2):
    """Makes a clip that shows a moving part of the photo."""
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-loop", "1", "-r", "25", "-t", str(seconds), "-i", str(PHOTO),
         "-vf", "scale=1280:-2,crop=640:360:'4*n':180,format=yuv420p", "-c:v", "libx264", "-preset", "veryfast",
         "-g", "12", f"file:{path}"], check=True)


def facepipe(*words, codes=(0,)):
    result = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    if result.returncode not in codes:
        raise RuntimeError(f"facepipe {words}: exit code {result.returncode}: {result.stderr}")


def make_pages(folder):
    """Lets the program make pages of each kind. Returns {name: path}."""
    clip = folder / "clip.mp4"
    make_clip(clip)
    clips = folder / "clips"
    clips.mkdir()
    make_clip(clips / (HOSTILE + ".mp4"), 0.2)
    make_clip(clips / "second.mp4", 0.2)
    (clips / "torn.mp4").write_text("no video")
    facepipe("run", "-q", clip, "-o", folder / "out.mp4", "--draw", "boxes,ids", "--report-html", folder / "run.html")
    facepipe("hide", "-q", clip, "-o", folder / "hidden.mp4", "--report-html", folder / "hide.html")
    facepipe("detect", "-q", clip, "--report-html", folder / "detect.html")
    facepipe("verify", "-q", clip, clip, "--quick", "--report-html", folder / "verify.html", codes=(7,))
    facepipe("run", "-q", clips, "-o", f"{folder}/out/", "--report-html", folder / "folder.html", codes=(3,))
    pages = {name: folder / f"{name}.html" for name in ("run", "hide", "detect", "verify", "folder")}
    pages["hostile"] = next(page for page in (folder / "folder").iterdir() if "script" in page.name)
    return pages


def make_browser(profile, scripts=True):
    options = Options()
    options.binary_location = shutil.which("chromium")
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                 "--no-first-run", f"--user-data-dir={profile}"):
        options.add_argument(word)
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def requests_of(browser):
    """Returns the addresses that the browser has asked for since the last call."""
    addresses = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            addresses.append(message["params"]["request"]["url"])
    return addresses


@unittest.skipIf(MISSING, f"needs {', '.join(MISSING)}: ./dev test --pages installs them")
@unittest.skipUnless(PHOTO.exists(), "needs the demo photo: ./dev setup fetches it")
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        folder = pathlib.Path(cls.folder.name)
        cls.pages = make_pages(folder)
        cls.browser = make_browser(folder / "profile")
        cls.addClassCleanup(cls.browser.quit)

    def open(self, name, size=WIDE, scheme="light"):
        """Opens a page and checks what must be true of each one."""
        browser = self.browser
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == NARROW})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        browser.get("about:blank")
        requests_of(browser)
        browser.get_log("browser")
        browser.get(self.pages[name].as_uri())
        foreign = [address for address in requests_of(browser)
                   if address != self.pages[name].as_uri() and not address.startswith("data:")]
        self.assertEqual(foreign, [], f"{name}: the page asked for something")
        self.assertEqual(browser.get_log("browser"), [], f"{name}: the console isn't empty")
        self.keep_picture(f"{name}-{size[0]}-{scheme}")

    def keep_picture(self, name):
        folder = os.environ.get("PAGES_PICTURES")
        if not folder:
            return
        size = self.browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        shot = self.browser.execute_cdp_cmd(
            "Page.captureScreenshot",
            {"captureBeyondViewport": True,
             "clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}})
        path = pathlib.Path(folder) / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def test_pages_are_complete_and_load_nothing(self):
        for name, page in self.pages.items():
            with self.subTest(name):
                self.assertEqual(page_checks.parsed(page).faults, [])

    def test_pages_fit_a_wide_and_a_narrow_window_light_and_dark(self):
        for name in self.pages:
            for size in (WIDE, NARROW):
                for scheme in ("light", "dark"):
                    with self.subTest(f"{name} {size} {scheme}"):
                        self.open(name, size, scheme)
                        wide, inner = self.browser.execute_script(
                            "return [document.documentElement.scrollWidth, window.innerWidth]")
                        self.assertLessEqual(wide, inner, "the page scrolls sideways")
                        self.check_contrast(scheme)

    def check_contrast(self, scheme):
        """Text must be dark on light, or light on dark."""
        colours = self.browser.execute_script(
            "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
        text, ground = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours]
        self.assertGreater((ground - text) * (1 if scheme == "light" else -1), 300)

    def expect_nothing(self, script):
        """Expects that a script finds nothing in the pages, in wide and in narrow windows."""
        for name in self.pages:
            for size in (WIDE, NARROW):
                with self.subTest(f"{name} {size}"):
                    self.open(name, size)
                    self.assertEqual(self.browser.execute_script(script), [])

    def test_words_of_charts_do_not_leave_their_cards(self):
        script = """
            const out = [];
            for (const word of document.querySelectorAll('.plot span')) {
              if (getComputedStyle(word).display === 'none') continue;
              const a = word.getBoundingClientRect(), b = word.closest('.card').getBoundingClientRect();
              if (a.left < b.left || a.right > b.right || a.bottom > b.bottom) out.push(word.textContent);
            }
            return out;"""
        self.expect_nothing(script)

    def test_labels_of_an_axis_do_not_overlap(self):
        script = """
            const out = [];
            for (const plot of document.querySelectorAll('.plot'))
              for (const kind of ['.x', '.y', '.mark']) {
                const words = [...plot.querySelectorAll('span' + kind)].filter(w => w.offsetParent);
                for (const a of words) for (const b of words) {
                  if (a === b) continue;
                  const r = a.getBoundingClientRect(), s = b.getBoundingClientRect();
                  if (r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 2 && s.top < r.bottom - 2)
                    out.push(a.textContent + ' / ' + b.textContent);
                }
              }
            return out;"""
        self.expect_nothing(script)

    def test_pages_are_ready_in_half_a_second(self):
        for name in self.pages:
            self.open(name)
            times = []
            for _ in range(3):
                self.browser.refresh()
                times.append(self.browser.execute_script(
                    "const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd - t.startTime"))
            self.assertLess(sorted(times)[1], MOST_LOAD_MS, name)

    def test_pages_can_be_printed(self):
        for name in self.pages:
            with self.subTest(name):
                self.open(name)
                paper = base64.b64decode(self.browser.execute_cdp_cmd(
                    "Page.printToPDF", {"printBackground": True, "paperWidth": 8.27, "paperHeight": 11.69})["data"])
                self.assertTrue(paper.startswith(b"%PDF"))
                folder = os.environ.get("PAGES_PICTURES")
                if folder:
                    (pathlib.Path(folder) / f"{name}.pdf").write_bytes(paper)

    def test_a_hostile_name_is_shown_and_does_nothing(self):
        self.open("hostile")
        self.assertIn(HOSTILE, self.browser.execute_script("return document.querySelector('h1').textContent"))
        self.assertNotEqual(self.browser.title, "run")
        self.open("folder")
        self.assertIn(HOSTILE, self.browser.execute_script("return document.body.textContent"))
        link = self.browser.execute_script(
            "return [...document.querySelectorAll('a')].find(a => a.textContent.includes('script')).href")
        self.assertEqual(link, self.pages["hostile"].as_uri())

    def test_pages_can_be_read_without_scripts(self):
        browser = make_browser(pathlib.Path(self.folder.name) / "profile-without-scripts", scripts=False)
        self.addCleanup(browser.quit)
        browser.get(self.pages["run"].as_uri())
        self.assertIn("Where the time goes", browser.page_source)
        self.assertEqual(browser.get_log("browser"), [])


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    unittest.main(verbosity=2)
