#include "app/review/review_page.h"

namespace facepipe::app {

const char* const kReviewViewScript = R"js(
// How the page shows what it knows.
function clock(s) {
  const sign = s < 0 ? '-' : '', all = Math.abs(s), h = Math.floor(all / 3600);
  const rest = `${String(Math.floor(all / 60) % 60).padStart(h ? 2 : 1, '0')}:` +
    (all % 60).toFixed(2).padStart(5, '0');
  return sign + (h ? `${h}:` : '') + rest;
}
function say(text) { $('message').textContent = text; $('message').hidden = !text; }
function enableUndo(state) {
  $('undo').disabled = !state.can_undo;
  $('redo').disabled = !state.can_redo;
}
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);

// --- Cards. Only those that can be seen are in the page.
const CARD_W = 138, CARD_H = 156, cards = new Map();
const columns = () => Math.max(1, Math.floor(($('grid').clientWidth - 8) / CARD_W));

// At most three small pictures are asked for at the same time, so that a frame never waits behind them.
const waiting = [];
let loading = 0;
function loadPicture(img, source, first = false) {
  img.wanted = source;
  if (first) waiting.unshift(img); else waiting.push(img);
  loadMore();
}
function loadMore() {
  while (loading < 3 && waiting.length) {
    const img = waiting.shift();
    if (!img.isConnected || img.asked === img.wanted) continue;
    img.asked = img.wanted;
    loading++;
    const done = () => { loading--; img.onload = img.onerror = null; loadMore(); };
    img.onload = img.onerror = done;
    img.src = img.wanted;
  }
}
// The address changes with the boxes.
function pictureOf(entry, number) {
  const t = entry.members ? entry.members[0] : entry;
  if (ownServer) return ownServer.picture(t.id, number);
  return `/thumb/${t.id}/${number}?v=${t.start}.${t.end}.${t.boxes}`;
}

function makeCard(t) {
  const card = document.createElement('div'), img = document.createElement('img');
  img.alt = '';
  card.append(img, document.createElement('b'), document.createElement('small'),
    document.createElement('small'), document.createElement('small'));
  card.setAttribute('role', 'option');
  card.dataset.id = t.id;
  return card;
}

function fillCard(card, t, i) {
  card.className = `track ${t.action}` + (t.members ? ' group' : '') +
    (chosen.has(t.id) ? ' chosen' : '') + (i === current ? ' current' : '');
  card.setAttribute('aria-selected', chosen.has(t.id));
  card.children[1].textContent = t.members ? `${t.members.length} weak` : `#${t.id} ${t.action}`;
  card.children[2].textContent = `${clock(seconds(t.start))} · ` +
    (t.start === t.end ? 'one frame' : `${t.long.toFixed(1)} s`);
  card.children[3].textContent = (t.person ? 'by hand' : (t.members ? 'best ' : '') +
    t.score.toFixed(2)) + ` · ${Math.round(t.size)} px`;
  card.children[4].textContent = t.members ? t.place : isDoubtful(t) ? 'doubtful' :
    isCovered(t) ? 'inside a hidden one' : '';
  card.title = t.members ? 'Suggestions that score little, in one part of the picture. Enter opens ' +
    'them. h, k and s decide about all of them.' : !isDoubtful(t) ? '' : t.inside ?
    'The track ends in the middle of the picture: the face may go on.' :
    `The face was not detected in ${t.held} frames in a row.`;
  const source = pictureOf(t, 0), img = card.firstChild;
  if (source && img.wanted !== source) loadPicture(img, source);
}

function drawCards() {
  const grid = $('grid'), across = columns(), rows = Math.ceil(shown.length / across);
  $('pad').style.height = `${rows * CARD_H + 8}px`;
  const first = Math.max(0, Math.floor(grid.scrollTop / CARD_H));
  const last = Math.min(rows, Math.ceil((grid.scrollTop + grid.clientHeight) / CARD_H));
  const wanted = new Set();
  for (let i = first * across; i < Math.min(shown.length, last * across); i++) {
    const t = shown[i];
    wanted.add(t.id);
    let card = cards.get(t.id);
    if (!card) {
      card = makeCard(t);
      cards.set(t.id, card);
      $('pad').append(card);
    }
    card.style.left = `${4 + (i % across) * CARD_W}px`;
    card.style.top = `${4 + Math.floor(i / across) * CARD_H}px`;
    fillCard(card, t, i);
  }
  for (const [id, card] of cards) if (!wanted.has(id)) { card.remove(); cards.delete(id); }
}

const STRIP = 6, GROUP_STRIP = 12;  // pictures of a track, and of a group
function drawStrip() {
  const t = shown[current], strip = $('strip');
  const key = t ? `${t.id} ${t.start} ${t.end} ${t.boxes} ${t.members?.length}` : '';
  if (strip.dataset.key === key) return;
  strip.dataset.key = key;
  strip.textContent = '';
  if (!t) return;
  const numbers = [...Array(Math.min(STRIP, t.boxes + 1)).keys()];
  const sources = t.members ? t.members.slice(0, GROUP_STRIP).map(member => pictureOf(member, 0)) :
    numbers.map(number => pictureOf(t, number));
  for (const source of sources.filter(Boolean).reverse()) {
    const img = document.createElement('img');
    img.alt = '';
    strip.prepend(img);
    loadPicture(img, source, true);
  }
}

// Returns what the person can do next.
function advice(todo, weak, groups) {
  if (opened !== null) return 'These are the suggestions of one group. Esc closes it.';
  if (weak)
    return `Nobody has looked at ${weak} weaker suggestions. ` + (groups ?
      `The last ${groups} cards stand for them, by place and time: Enter opens one.` :
      'The filter “to look at” shows them in groups.');
  if (shown.length) return '';
  return todo ? 'The filters show no track.' :
    'Nothing is left to look at. Go through the video with the time line. If you see a face without a box, ' +
    'draw one. Then press “Hide and verify”.';
}
function drawCounts() {
  const count = {hide: 0, keep: 0, suggest: 0};
  let todo = 0, weak = 0;
  for (const t of tracks.values()) {
    count[t.action]++;
    if (!isStrong(t)) weak += !t.looked && !isCovered(t); else if (WHICH.todo(t)) todo++;
  }
  $('count').textContent = `${count.hide} hidden · ${count.keep} kept · ${count.suggest} suggested · ` +
    `${todo} to look at${weak ? `, and ${weak} weak ones` : ''} · ${shown.length} shown · ${chosen.size ? targets().length : 0} selected`;
  const groups = shown.filter(entry => entry.members).length;
  $('weak').textContent = advice(todo, weak, groups);
  $('open').textContent = opened === null ? 'Open group' : 'Close group';
  $('open').disabled = opened === null && !groups;
}

// --- The frame
let here = 0;  // stamp of the frame that is shown
let wantedFrame = null, asking = false, frameUrl = '';
const frameWidth = () => Math.min(1920, Math.max(320,
  Math.round($('stage').clientWidth * devicePixelRatio)));

function go(pts, choice = 'shown') {
  wantedFrame = {pts, choice};
  if (!asking) void askForFrames();
}
async function askForFrames() {
  asking = true;
  while (wantedFrame) {
    const {pts, choice} = wantedFrame;
    wantedFrame = null;
    const address = `/frame?pts=${pts}&w=${frameWidth()}&choice=`;
    let exact = false;
    // A key frame comes at once. It is shown until the exact frame has come.
    const rough = setTimeout(async () => {
      const answer = await ask(`${address}key`).catch(() => null);
      const picture = answer && await answer.blob();
      if (picture && !exact) await showFrame(picture, +answer.headers.get('X-Pts'), true);
    }, 150);
    try {
      const answer = await ask(address + choice);
      const picture = await answer.blob();
      exact = true;
      await showFrame(picture, +answer.headers.get('X-Pts'), false);
    } catch (error) {
      say(error.message);
    }
    clearTimeout(rough);
  }
  asking = false;
}
async function showFrame(picture, pts, isRough) {
  const url = URL.createObjectURL(picture), old = frameUrl;
  frameUrl = url;
  $('frame').src = url;
  await $('frame').decode().catch(() => {});
  if (old) URL.revokeObjectURL(old);
  here = pts;
  $('rough').hidden = !isRough;
  $('frame').dataset.pts = pts;
  $('frame').dataset.exact = !isRough;
  await drawOverlay();
  drawLine();
}

const GROWN = 0.25;  // how much more than the face hide covers on each side, unless told otherwise
const CROWD = 150;  // among more boxes than this, a person doesn't find the current one
let drawing = null, marked = null;
async function drawOverlay() {
  const pts = here;
  let near;
  try { near = await boxesNear(pts); } catch (error) { say(error.message); near = new Map(); }
  if (pts !== here) return;
  const canvas = $('overlay'), ratio = devicePixelRatio;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  const g = canvas.getContext('2d'), kx = canvas.width / video.width, ky = canvas.height / video.height;
  const stroke = box => g.strokeRect(box[0] * kx, box[1] * ky, (box[2] - box[0]) * kx,
    (box[3] - box[1]) * ky);
  const outline = (t, box, width) => {
    g.lineWidth = width * ratio;
    g.strokeStyle = colour(t.action);
    g.setLineDash(t.action === 'suggest' ? [5 * ratio, 4 * ratio] : []);
    stroke(box);
  };
  const chosenBoxes = [], crowded = near.size > CROWD;
  for (const [id, flat] of near) {
    const t = tracks.get(id), box = t && boxAt(t, flat, pts);
    if (!box || !isVisible(t)) continue;
    g.globalAlpha = 1;
    if ($('cover').checked && t.action === 'hide') {
      const w = box[2] - box[0], h = box[3] - box[1];
      g.fillStyle = '#000';
      g.fillRect((box[0] - GROWN * w) * kx, (box[1] - GROWN * h) * ky, w * (1 + 2 * GROWN) * kx,
        h * (1 + 2 * GROWN) * ky);
    }
    g.globalAlpha = crowded ? 0.4 : 1;
    const now = shown[current];
    if (t === now || now?.ids?.has(id)) chosenBoxes.push([t, box]); else outline(t, box, 1.5);
  }
  g.globalAlpha = 1;
  for (const [t, box] of chosenBoxes) {
    if (crowded) outline({action: 'halo'}, box, 7);
    outline(t, box, 3);
  }
  g.setLineDash([]);
  g.strokeStyle = '#f0f';
  g.lineWidth = 2 * ratio;
  if (marked && marked.pts === pts) stroke(marked.box);
  if (drawing) stroke(drawing);
  $('when').textContent = clock(seconds(pts));
}

// --- The time line: how many tracks there are at each time
let density = null;
function countTracks(cells) {
  const length = Math.max(1, video.last_pts - video.first_pts);
  const cell = pts => Math.max(0, Math.min(cells - 1, Math.floor((pts - video.first_pts) / length * cells)));
  const steps = Object.fromEntries(ACTIONS.map(action => [action, new Int32Array(cells + 1)]));
  for (const t of tracks.values()) {
    if (!isStrong(t)) continue;
    steps[t.action][cell(t.start)]++;
    steps[t.action][cell(t.end) + 1]--;
  }
  for (const action of ACTIONS)
    for (let i = 1; i <= cells; i++) steps[action][i] += steps[action][i - 1];
  return steps;
}
function drawLine() {
  const canvas = $('line'), g = canvas.getContext('2d');
  const w = canvas.width = canvas.clientWidth, h = canvas.height = canvas.clientHeight;
  const cells = Math.max(1, w >> 1);
  if (!density || density.cells !== cells) density = {cells, counts: countTracks(cells)};
  let top = 1;
  for (const action of ACTIONS) for (const n of density.counts[action]) top = Math.max(top, n);
  g.globalAlpha = 0.55;
  for (const action of ['suggest', 'hide', 'keep']) {
    g.fillStyle = colour(action);
    density.counts[action].forEach((n, i) => {
      if (n) g.fillRect(i * 2, h - n / top * (h - 10), 2, n / top * (h - 10));
    });
  }
  g.globalAlpha = 1;
  g.fillStyle = colour('fg');
  const x = pts => (pts - video.first_pts) / Math.max(1, video.last_pts - video.first_pts) * w;
  const t = shown[current];
  if (t) g.fillRect(x(t.start), 0, Math.max(2, x(t.end) - x(t.start)), 4);
  g.fillRect(Math.min(w - 1.5, x(here)), 0, 1.5, h);
}

// Shows the tracks anew, after something has changed.
async function refresh() {
  list();
  density = null;
  drawCards();
  drawStrip();
  drawCounts();
  drawLine();
  await drawOverlay();
}
function redraw() {
  drawCards();
  drawStrip();
  drawCounts();
  drawLine();
  void drawOverlay();
}
)js";

}  // namespace facepipe::app
