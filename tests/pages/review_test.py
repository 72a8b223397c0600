"""review_test.py: reviews a clip in Chromium, as a person does: decides, undoes, saves, draws, hides and verifies.

./dev test --pages runs it, with the variables of the environment that pages_test.py has.
"""
import http.client
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from pages_test import HOSTILE, MISSING, NARROW, PHOTO, PROGRAM, WIDE, facepipe, make_browser, make_clip, requests_of

if not MISSING:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.support.wait import WebDriverWait

WAIT_S = 60  # on a busy machine
NAME = HOSTILE + ".mp4"


class Review:
    """The program `facepipe review`, until stop() ends it."""

    def __init__(self, clip, tracks, folder, *options):
        self.edits = folder / "edits.json"
        self.log = folder / "edits.log.jsonl"
        self.output = folder / "hidden.mp4"
        self.process = subprocess.Popen(
            [PROGRAM, "review", clip, "--tracks", tracks, "--edits", self.edits, "--reviewer", "Ada", "--no-open",
             "--device", "cpu", "-q", "-o", self.output, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.process.stdout.readline()
        self.address = self.process.stdout.readline().strip()
        self.site = self.address.split("/open")[0]

    def stop(self):
        """Presses Ctrl-C, unless the program has ended. Returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.communicate(timeout=WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        return self.process.returncode

    def saved(self):
        """Returns {id: track} of the edit file."""
        return {track["id"]: track for track in json.loads(self.edits.read_text())["tracks"]}


def luma(video, box, seconds):
    """Returns the bytes of the luma in the middle of a box, at a time."""
    x1, y1, x2, y2 = box
    width, height = max(2, int((x2 - x1) / 2)), max(2, int((y2 - y1) / 2))
    x, y = max(0, int((x1 + x2 - width) / 2)), max(0, int((y1 + y2 - height) / 2))
    return subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-ss", str(max(0, seconds - 0.001)), "-i", f"file:{video}", "-frames:v",
         "1", "-vf", f"format=gray,crop={width}:{height}:{x}:{y}", "-f", "rawvideo", "-"], check=True,
        stdout=subprocess.PIPE).stdout


@unittest.skipIf(MISSING, f"needs {', '.join(MISSING)}: ./dev test --pages installs them")
@unittest.skipUnless(PHOTO.exists(), "needs the demo photo: ./dev setup fetches it")
class ReviewPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.clip = cls.folder / NAME
        make_clip(cls.clip, 1)
        cls.tracks = cls.folder / "t.json"
        facepipe("detect", "-q", "--device", "cpu", cls.clip, "--write-tracks", cls.tracks)
        cls.browser = make_browser(cls.folder / "profile")
        cls.browser.set_script_timeout(WAIT_S)
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        self.own = pathlib.Path(folder.name)
        self.review = self.begin()
        self.open(WIDE)
        self.allowed = (self.review.site + "/", f"blob:{self.review.site}/")

    def tearDown(self):
        """No test may have asked another server for anything, or have left a message of an error."""
        foreign = [address for address in requests_of(self.browser) if not address.startswith(self.allowed)]
        self.assertEqual(foreign, [])
        errors = [entry["message"] for entry in self.browser.get_log("browser") if " 409 " not in entry["message"]]
        self.assertEqual(errors, [])
        self.browser.get("about:blank")

    def begin(self):
        review = Review(self.clip, self.tracks, self.own)
        self.addCleanup(review.stop)
        return review

    def open(self, size, scheme="light"):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == NARROW})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.browser.get("about:blank")
        requests_of(self.browser)
        self.browser.get_log("browser")
        self.browser.get(self.review.address)
        self.wait("return document.body.dataset.ready")
        self.wait("return document.getElementById('frame').dataset.exact === 'true'")

    # --- What a person does and sees

    def wait(self, script, seconds=WAIT_S):
        return WebDriverWait(self.browser, seconds, 0.05).until(lambda browser: browser.execute_script(script))

    def wait_for_render(self, state):
        """Waits until the video is hidden and verified, or until this has failed."""
        ended = self.wait("const s = document.getElementById('render').dataset.state;"
                          "return s !== 'none' && s !== 'hiding' && s !== 'verifying' && s", 5 * WAIT_S)
        self.assertEqual(ended, state, self.run_script("return document.getElementById('rendered').textContent"))

    def run_script(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def press(self, *keys):
        """Presses keys one after the other, and waits until the server has answered."""
        for key in keys:
            self.run_script("document.activeElement.blur()")
            ActionChains(self.browser).send_keys(key).perform()
            self.browser.execute_async_script("const done = arguments[0]; changing.then(() => setTimeout(done, 20))")

    def click(self, name):
        self.browser.find_element("id", name).click()
        self.browser.execute_async_script("const done = arguments[0]; changing.then(() => setTimeout(done, 20))")

    def choose(self, which):
        self.run_script("setFilter({which: arguments[0], score: 0}); current = 0; chosen = new Set();"
                        "document.getElementById('which').dispatchEvent(new Event('change'))", which)

    def shown(self):
        return self.run_script("return shown.map(t => t.id)")

    def action(self, track):
        return self.run_script("return tracks.get(arguments[0])?.action", track)

    def go(self, pts):
        self.run_script("go(arguments[0])", pts)
        self.wait(f"return here === {pts} && document.getElementById('frame').dataset.exact === 'true'")

    def drag(self, x1, y1, x2, y2):
        """Draws a box; the numbers are shares of the picture's sides."""
        overlay = self.browser.find_element("id", "overlay")
        width, height = overlay.size["width"], overlay.size["height"]
        ActionChains(self.browser).move_to_element_with_offset(
            overlay, round((x1 - 0.5) * width), round((y1 - 0.5) * height)).click_and_hold().move_by_offset(
                round((x2 - x1) * width), round((y2 - y1) * height)).release().perform()
        time.sleep(0.05)
        self.browser.execute_async_script("const done = arguments[0]; changing.then(() => setTimeout(done, 20))")

    def wait_until_saved(self):
        self.browser.execute_async_script("""
            const done = arguments[0], look = async () => {
              const {saving} = await (await ask('/state')).json();
              if (saving.saved && saving.revision === revision) done(); else setTimeout(look, 100);
            };
            changing.then(look);""")
        self.wait("return document.getElementById('saved').textContent.startsWith('Saved')")

    def stop(self):
        """Ends the program while no page asks it for anything. Returns its exit code."""
        self.browser.get("about:blank")
        return self.review.stop()

    def largest_hidden(self):
        """Returns the hidden track with the largest face of those that were found in most frames."""
        tracks = json.loads(self.tracks.read_text())["tracks"]
        hidden = [track for track in tracks if track["action"] == "hide"]
        longest = max(len(track["boxes"]) for track in hidden)
        size = lambda track: (track["boxes"][0][3] - track["boxes"][0][1]) * (track["boxes"][0][4] - track["boxes"][0][2])
        return sorted((track for track in hidden if len(track["boxes"]) > longest / 2), key=size)

    def keep_picture(self, name):
        folder = os.environ.get("PAGES_PICTURES")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(str(pathlib.Path(folder) / f"{name}.png"))

    # --- Tests

    def test_decisions_are_saved_and_shown_again(self):
        self.choose("hide")
        kept, hidden = self.shown()[:2]
        self.press("k")
        self.assertEqual(self.action(kept), "keep")
        self.press("z")
        self.assertEqual(self.action(kept), "hide")
        self.press("y")
        self.assertEqual(self.action(kept), "keep")
        self.wait_until_saved()
        self.assertEqual(self.review.saved()[kept]["action"], "keep")
        self.assertEqual(self.review.saved()[hidden]["action"], "hide")
        self.browser.refresh()
        self.wait("return document.body.dataset.ready")
        self.assertEqual(self.action(kept), "keep")
        self.assertEqual(self.stop(), 0)
        lines = [json.loads(line) for line in self.review.log.read_text().splitlines()]
        self.assertEqual([line["action"] for line in lines if "tracks" in line], ["keep", "undo", "redo"])
        self.assertEqual({line["reviewer"] for line in lines}, {"Ada"})

    def test_a_later_review_goes_on(self):
        self.choose("hide")
        kept = self.shown()[0]
        self.press("k")
        self.assertEqual(self.stop(), 0)
        self.review = self.begin()
        self.open(WIDE)
        self.allowed += (self.review.site + "/", f"blob:{self.review.site}/")
        self.assertEqual(self.action(kept), "keep")
        self.assertTrue(self.run_script("return tracks.get(arguments[0]).looked", kept))

    def test_many_tracks_are_decided_at_once(self):
        self.choose("suggest")
        suggested = self.shown()
        self.assertGreater(len(suggested), 1)
        self.press("a", "h")
        self.assertTrue(all(self.action(track) == "hide" for track in suggested))
        self.press("z")
        self.assertTrue(all(self.action(track) == "suggest" for track in suggested))

    def test_hidden_tracks_among_others_become_visible_only_at_the_second_press(self):
        for key, action in (("s", "suggest"), ("k", "keep")):
            self.choose("all")
            hidden = [track for track in self.shown() if self.action(track) == "hide"]
            others = [track for track in self.shown() if self.action(track) == "suggest"]
            self.assertTrue(hidden and others)
            self.press("a", key)
            self.assertEqual({self.action(track) for track in hidden}, {"hide"})
            self.assertEqual({self.action(track) for track in others}, {action})
            self.assertEqual(sorted(self.run_script("return [...chosen]")), sorted(hidden))
            self.assertIn("hidden", self.run_script("return document.getElementById('message').textContent"))
            self.press(key)
            self.assertEqual({self.action(track) for track in hidden}, {action})
            self.press("z", "z")
            self.assertEqual({self.action(track) for track in hidden}, {"hide"})

    def test_the_first_tracks_are_those_that_need_a_look(self):
        doubtful = self.run_script("return shown.map(isDoubtful)")
        self.assertEqual(doubtful, sorted(doubtful, reverse=True))
        self.assertTrue(self.run_script("return shown.every(t => !t.looked && (isDoubtful(t) || t.action === 'suggest' && !isCovered(t)))"))

    # Suggestions that score less than this are groups in these tests, because the clip has few of them.
    def group_all(self):
        self.choose("todo")
        self.run_script("setFilter({score: 1}); document.getElementById('which').dispatchEvent(new Event('change'))")

    def test_weak_suggestions_are_grouped_by_place(self):
        self.group_all()
        weak, grouped, groups, place = self.run_script("""
            const groups = shown.filter(entry => entry.members);
            return [[...tracks.values()].filter(t => !isStrong(t) && !isCovered(t)).map(t => t.id), groups.flatMap(idsOf), groups.length,
                    groups.every(group => new Set(group.members.map(groupKey)).size === 1)]""")
        self.assertGreater(len(weak), 1)
        self.assertEqual(sorted(grouped), sorted(weak))  # each of them is in exactly one group
        self.assertLess(groups, len(weak))
        self.assertTrue(place)

    def test_the_page_says_what_to_do_when_nothing_is_left_to_look_at(self):
        advice = "return document.getElementById('weak').textContent"
        self.run_script("setFilter({which: 'todo', score: 0}); void refresh()")
        self.press("a", "h")
        self.assertEqual(self.shown(), [])
        self.assertIn("Nothing is left to look at", self.run_script(advice))
        self.press("z")
        self.assertNotEqual(self.shown(), [])
        self.run_script("setFilter({size: 10000}); void refresh()")
        self.assertIn("The filters show no track", self.run_script(advice))

    def test_a_group_is_opened_and_its_tracks_are_decided(self):
        self.group_all()
        members = self.run_script("current = shown.findIndex(t => t.members?.length > 1); return idsOf(shown[current])")
        self.press("\ue007")  # Enter
        self.assertEqual(sorted(self.shown()), sorted(members))
        first = self.shown()[0]
        self.press("h")
        self.assertEqual(self.action(first), "hide")
        self.assertTrue(all(self.action(track) == "suggest" for track in members if track != first))
        self.keep_picture("review-group")
        self.press("\ue00c")  # Esc
        self.assertEqual(self.run_script("return opened"), None)
        self.assertEqual(sorted(self.run_script("return idsOf(shown[current])")),
                         sorted(track for track in members if track != first))

    def test_a_group_is_decided_as_a_whole_and_nothing_is_lost(self):
        self.group_all()
        members = self.run_script("current = shown.findIndex(t => t.members?.length > 1); return idsOf(shown[current])")
        self.press("h")
        self.assertTrue(all(self.action(track) == "hide" for track in members))
        self.press("z")
        self.assertTrue(all(self.action(track) == "suggest" for track in members))
        self.press("y")
        self.wait_until_saved()
        before = {track["id"]: track["boxes"] for track in json.loads(self.tracks.read_text())["tracks"]}
        self.assertEqual({number: track["boxes"] for number, track in self.review.saved().items()}, before)
        self.assertEqual({self.review.saved()[track]["action"] for track in members}, {"hide"})

    def test_all_cards_are_selected_without_groups(self):
        self.run_script("setFilter({which: 'all', score: 1}); void refresh()")
        self.press("a")
        self.assertTrue(self.run_script("return chosen.size > 0 && [...chosen].every(id => typeof id === 'number')"))

    def open_file(self, page):
        """Opens a page that is one file, and lets the browser save files beside it."""
        self.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(page.parent)})
        self.browser.get("about:blank")
        requests_of(self.browser)
        self.allowed = (page.as_uri(), "data:image/jpeg;base64,", "blob:")
        self.browser.get(page.as_uri())
        self.wait("return document.body.dataset.ready")
        self.wait("return document.getElementById('frame').dataset.exact === 'true'")

    def test_the_page_as_one_file_makes_an_edit_file_without_a_server(self):
        page = self.own / "page.html"
        facepipe("review", self.clip, "--tracks", self.tracks, "--to", page, "-q")
        self.assertEqual(page.stat().st_mode & 0o777, 0o600)
        self.open_file(page)
        self.assertEqual(self.run_script("return document.querySelector('h1').textContent"), NAME)
        self.assertIn("shows faces", self.run_script("return document.getElementById('alone').innerText"))
        self.wait("const all = [...document.querySelectorAll('.track img')];"
                  "return all.length && all.every(img => img.complete && img.naturalWidth > 0)")
        self.choose("hide")
        kept, other = self.shown()[:2]
        self.press("k", "k", "z")
        self.assertEqual([self.action(kept), self.action(other)], ["keep", "hide"])
        self.press("b")
        self.drag(0.1, 0.1, 0.2, 0.3)
        (drawn,) = self.run_script("return [...tracks.values()].filter(t => t.person).map(t => t.id)")
        self.keep_picture("review-file")
        self.click("finish")
        WebDriverWait(None, WAIT_S).until(lambda _: any(self.own.glob("*.edits.json")))
        (edits,) = self.own.glob("*.edits.json")
        saved = {track["id"]: track for track in json.loads(edits.read_text())["tracks"]}
        before = {track["id"]: track for track in json.loads(self.tracks.read_text())["tracks"]}
        self.assertEqual(set(saved), {*before, drawn})
        self.assertEqual(saved.pop(kept)["action"], "keep")
        self.assertEqual(saved.pop(drawn)["origin"], "person")
        del before[kept]
        self.assertEqual(saved, before)
        facepipe("hide", self.clip, "--tracks", edits, "-o", self.own / "hidden.mp4", "-q", "--device", "cpu")

    def test_faces_are_shown_beside_the_tracks(self):
        self.wait("const all = [...document.querySelectorAll('.track img')];"
                  "return all.length && all.every(img => img.complete && img.naturalWidth > 0)")
        self.assertLessEqual(self.run_script("return document.querySelectorAll('.track').length"), 60)
        self.keep_picture("review-1280-light")

    def test_a_box_is_drawn_moved_ended_split_and_removed(self):
        stamps = sorted({box[0] for track in json.loads(self.tracks.read_text())["tracks"] for box in track["boxes"]})
        self.go(stamps[2])
        self.press("b")
        self.drag(0.1, 0.1, 0.2, 0.3)
        (drawn,) = self.run_script("return [...tracks.values()].filter(t => t.person).map(t => t.id)")
        self.go(stamps[12])
        self.drag(0.3, 0.1, 0.4, 0.3)
        self.press("\ue00c")  # Esc
        self.run_script("showTrack(arguments[0])", drawn)
        self.go(stamps[15])
        self.press("]")
        self.go(stamps[7])
        self.press("c")
        by_hand = self.run_script("return [...tracks.values()].filter(t => t.person).map(t => t.id)")
        self.assertEqual(len(by_hand), 2)
        self.wait_until_saved()
        before, behind = (self.review.saved()[track] for track in by_hand)
        self.assertEqual((before["start_pts"], before["end_pts"]), (stamps[2], stamps[7] - 1))
        self.assertEqual((behind["start_pts"], behind["end_pts"]), (stamps[7], stamps[15]))
        # Half way between the two boxes that were drawn.
        self.assertAlmostEqual(behind["boxes"][0][1], 0.2 * 640, delta=4)
        self.assertAlmostEqual(behind["boxes"][0][2], 0.1 * 360, delta=4)
        self.run_script("chosen = new Set(); showTrack(arguments[0])", by_hand[1])
        self.press("\ue017")  # Delete
        self.assertIsNone(self.action(by_hand[1]))

    def test_frames_are_those_of_their_times(self):
        stamps = sorted({box[0] for track in json.loads(self.tracks.read_text())["tracks"] for box in track["boxes"]})
        self.go(stamps[5])
        for key, expected in ((".", stamps[6]), (",", stamps[5]), (",", stamps[4])):
            self.press(key)
            self.wait(f"return here === {expected}")

    def test_what_is_wrong_is_told(self):
        self.choose("hide")
        self.press("[")
        self.assertIn("by hand", self.run_script("return document.getElementById('message').textContent"))

    def test_hidden_faces_are_covered_in_the_output_and_kept_ones_are_not(self):
        tracks = self.largest_hidden()
        kept, hidden = tracks[-1], tracks[-2]
        self.choose("all")
        self.press("a", "k", "k")
        self.run_script("chosen = new Set([arguments[0]])", hidden["id"])
        self.press("h")
        self.run_script("document.getElementById('depth').value = 'none'")
        self.click("hideall")
        self.wait_for_render("done")
        self.keep_picture("review-done")
        base = json.loads(self.tracks.read_text())["input"]["time_base"]
        for track, covered in ((hidden, True), (kept, False)):
            pts, *box = track["boxes"][len(track["boxes"]) // 2][:5]
            seconds = pts * base[0] / base[1]
            before, after = luma(self.clip, box, seconds), luma(self.review.output, box, seconds)
            if covered:
                self.assertLess(max(after), 40)
            else:
                difference = sum(abs(a - b) for a, b in zip(before, after)) / len(after)
                self.assertLess(difference, 12)
        # The output that this review has made may be replaced.
        self.click("hideall")
        self.wait("return document.getElementById('render').dataset.state === 'hiding'")
        self.wait_for_render("done")

    def test_what_verify_finds_can_be_hidden(self):
        face = self.largest_hidden()[-1]["id"]
        self.choose("all")
        self.run_script("chosen = new Set([arguments[0]])", face)
        self.press("s")
        self.run_script("document.getElementById('depth').value = 'quick'")
        self.click("hideall")
        self.wait_for_render("done")
        self.wait("return document.querySelectorAll('#findings li').length > 0")
        self.run_script("document.querySelector('#findings li button:nth-of-type(2)').click()")
        self.wait("return [...tracks.values()].some(t => t.person && t.action === 'hide')")

    def test_an_output_that_exists_is_not_replaced(self):
        self.review.output.write_text("mine")
        self.run_script("document.getElementById('depth').value = 'none'")
        self.click("hideall")
        self.wait_for_render("failed")
        self.assertIn("exists", self.run_script("return document.getElementById('rendered').textContent"))
        self.assertEqual(self.review.output.read_text(), "mine")

    def test_a_hostile_name_is_shown_and_does_nothing(self):
        self.assertEqual(self.run_script("return document.querySelector('h1').textContent"), NAME)
        self.assertNotEqual(self.browser.title, "run")

    def test_the_page_fits_a_phone_and_is_dark_if_wanted(self):
        self.open(NARROW, "dark")
        wide, inner = self.run_script("return [document.documentElement.scrollWidth, window.innerWidth]")
        self.assertLessEqual(wide, inner)
        self.keep_picture("review-390-dark")

    def test_the_server_answers_what_it_knows_and_nothing_else(self):
        folder = self.own / "other"
        folder.mkdir()
        review = Review(self.clip, self.tracks, folder)
        self.addCleanup(review.stop)
        host = review.site.removeprefix("http://")
        ask = lambda path, cookie: self.status_of(host, path, cookie)
        connection = http.client.HTTPConnection(host, timeout=WAIT_S)
        connection.request("GET", review.address.removeprefix(review.site))
        cookie = connection.getresponse().getheader("Set-Cookie").split(";")[0]
        connection.close()
        self.assertEqual(ask("/tracks", cookie), 200)
        self.assertEqual(ask("/tracks", "facepipe=1"), 403)
        for path in ("/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/tracks/", "/tracks/../tracks",
                     "/Tracks", "/thumb/../tracks", "/thumb/0/0/0", "/thumb/%30/0", "/thumb//", "/thumb/-1/0",
                     "/thumb/99999999999999999999/0", "/frame", "/frame?pts=x", "/frame?pts=0&w=1", "/frame?pts=0&w=99999",
                     "/frame?pts=0&choice=all", "/frame?pts=9223372036854775807", "/boxes?from=0", "/edits.json",
                     "/boxes?from=0&to=1&score=101", "/changes", "/quit", "/tracks%00", "/tracks;x"):
            self.assertIn(ask(path, cookie), (400, 404), path)

    @staticmethod
    def status_of(host, path, cookie):
        connection = http.client.HTTPConnection(host, timeout=WAIT_S)
        connection.putrequest("GET", path)
        connection.putheader("Cookie", cookie)
        connection.endheaders()
        status = connection.getresponse().status
        connection.close()
        return status

    def test_finish_saves_and_ends_the_program(self):
        self.choose("hide")
        kept = self.shown()[0]
        self.press("k")
        self.browser.find_element("id", "finish").click()
        self.wait("return document.getElementById('ended') !== null")
        self.assertEqual(self.review.process.wait(WAIT_S), 0)
        self.assertEqual(self.review.saved()[kept]["action"], "keep")


if __name__ == "__main__":
    unittest.main(verbosity=2)
