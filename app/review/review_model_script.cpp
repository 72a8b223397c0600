#include "app/review/review_page.h"

namespace facepipe::app {

const char* const kReviewModelScript = R"js(
// This part holds the data of the page: facts about the video, and the tracks. The server has both.
// The page asks the server for each change, and takes over the rows that come back.
const $ = id => document.getElementById(id);
const ACTIONS = ['hide', 'keep', 'suggest'];
const HELD = 8;  // a face that was not detected in more frames than this is doubtful
let video = null;  // what /tracks says, without its tracks
let tracks = new Map();  // by id
let revision = 0;

const seconds = pts => pts * video.time_base[0] / video.time_base[1] - video.origin_s;
const stamp = s => Math.round((s + video.origin_s) * video.time_base[1] / video.time_base[0]);
const ticks = s => Math.round(s * video.time_base[1] / video.time_base[0]);

function trackOf(row) {
  const [id, action, person, start, end, score, size, held, inside, looked, boxes, x, y, coveredBy] =
    row;
  return {id, action: ACTIONS[action], person: person === 1, start, end, score, size, held,
    inside: inside === 1, looked: looked === 1, boxes, x, y, coveredBy, long: (end - start) * video.time_base[0] /
    video.time_base[1], doubtful: ACTIONS[action] === 'hide' && person === 0 && (inside === 1 || held > HELD)};
}
const isDoubtful = t => t.doubtful;  // computed once, because sorting asks often
// A hidden track covers this suggestion, so what it shows is hidden anyway.
function isCovered(t) {
  const by = t.action === 'suggest' ? tracks.get(t.coveredBy) : undefined;
  return by !== undefined && by.action === 'hide' && by.start <= t.start && by.end >= t.end;
}

class Refused extends Error {}

// Asks the server. Throws Refused with its words if it refuses. A page that is one file answers
// itself.
async function ask(path, body) {
  if (ownServer) return ownServer.ask(path, body);
  let answer;
  try {
    answer = await fetch(path, body === undefined ? {} :
      {method: 'POST', body, headers: {'X-Facepipe': '1'}});
  } catch {
    throw new Refused('facepipe review does not answer: it has ended. Start it again to go on.');
  }
  if (!answer.ok) throw new Refused(`${(await answer.text()).trim()}.`);
  return answer;
}

async function load() {
  const all = await (await ask('/tracks')).json();
  video = all;
  tracks = new Map(all.tracks.map(row => [row[0], trackOf(row)]));
  delete video.tracks;
  revision = all.revision;
  forgetBoxes();
  enableUndo(all);
}

function takeOver(answer) {
  revision = answer.revision;
  for (const id of answer.removed) tracks.delete(id);
  for (const row of answer.tracks) tracks.set(row[0], trackOf(row));
  forgetBoxes();
  enableUndo(answer);
}

// Changes are sent one after the other, because each is made for the state that the last one left.
let changing = Promise.resolve();
function change(request) {
  const done = changing.then(async () => {
    say('');
    try {
      const answer = await (await ask('/changes', JSON.stringify({...request, revision}))).json();
      takeOver(answer);
      $('saved').textContent = ownServer ? ownServer.note() : 'Saving soon';
      await refresh();
      askForStateSoon();
      return answer;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      say(error.message);
      await load().then(refresh).catch(() => {});
      return null;
    }
  });
  changing = done.catch(() => {});
  return done;
}

// --- Boxes, which the server gives for two seconds at once
const CHUNK_S = 2, MOST_CHUNKS = 20;
let chunks = new Map();
function forgetBoxes() { chunks = new Map(); }

function boxesNear(pts) {
  const size = Math.max(1, ticks(CHUNK_S)), number = Math.floor((pts - video.first_pts) / size);
  const score = needsWeak() ? 0 : Math.round(100 * filter.score), key = `${number} ${score}`;
  if (!chunks.has(key)) {
    if (chunks.size >= MOST_CHUNKS) chunks.delete(chunks.keys().next().value);
    const from = video.first_pts + number * size;
    chunks.set(key, ask(`/boxes?from=${from}&to=${from + size - 1}&score=${score}`)
      .then(answer => answer.json())
      .then(answer => new Map(answer.tracks.map(([id, ...flat]) => [id, flat]))));
  }
  return chunks.get(key);
}

const VALUES = 6;  // pts, x1, y1, x2, y2, state
// Returns the track's box at a stamp, as the edit file's rules say.
function boxAt(track, flat, pts) {
  if (pts < track.start || pts > track.end) return null;
  let low = 0, high = flat.length / VALUES;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (flat[middle * VALUES] <= pts) low = middle + 1; else high = middle;
  }
  const box = i => flat.slice(i * VALUES + 1, i * VALUES + 5);
  if (low > 0 && flat[(low - 1) * VALUES] === pts) return box(low - 1);
  if (!track.person) return null;
  if (low === 0) return box(0);
  if (low === flat.length / VALUES) return box(low - 1);
  const before = flat[(low - 1) * VALUES], part = (pts - before) / (flat[low * VALUES] - before);
  const a = box(low - 1), b = box(low);
  return a.map((edge, i) => edge + part * (b[i] - edge));
}

// --- The list: which tracks are shown, and in which order
const filter = {which: 'todo', score: 0.1, size: 0, length: 0, order: 'doubt'};
let shown = [], places = new Map(), current = 0, chosen = new Set(), anchor = 0;

const isStrong = t => t.person || t.action !== 'suggest' || t.score >= filter.score;
const WHICH = {
  todo: t => !t.looked && (isDoubtful(t) || t.action === 'suggest' && !isCovered(t)),
  doubt: isDoubtful,
  hide: t => t.action === 'hide', keep: t => t.action === 'keep', suggest: t => t.action === 'suggest',
  person: t => t.person, all: () => true,
};
const byId = (a, b) => a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
const byScore = (a, b) => b.score - a.score || byId(a, b);
const ORDER = {
  doubt: (a, b) => isDoubtful(b) - isDoubtful(a) || byScore(a, b), score: byScore,
  time: (a, b) => a.start - b.start || byId(a, b), size: (a, b) => b.size - a.size || byId(a, b),
  length: (a, b) => b.long - a.long || byId(a, b),
};

function list() {
  const before = shown[current];
  const fits = WHICH[filter.which], weak = [];
  shown = [];
  for (const t of tracks.values()) {
    if (!fits(t) || t.size < filter.size || t.long < filter.length) continue;
    if (!isStrong(t)) weak.push(t); else if (opened === null) shown.push(t);
  }
  if (opened !== null) shown = weak.filter(t => groupKey(t) === opened);
  if (opened !== null && !shown.length) {  // all of it is decided
    opened = null;
    return list();
  }
  shown.sort(ORDER[filter.order]);
  if (opened === null) shown.push(...groupsOf(weak).sort(ORDER[filter.order]));
  places = new Map(shown.map((t, i) => [t.id, i]));
  const place = before && places.get(before.id);
  current = place ?? Math.max(0, Math.min(current, shown.length - 1));
  for (const id of chosen) if (!places.has(id)) chosen.delete(id);
}
)js";

}  // namespace facepipe::app
