#include "app/review/review_page.h"

namespace facepipe::app {

const char* const kReviewActionScript = R"js(
// This part carries out what a person does.
function middle(entry) {
  const t = entry.members ? entry.members[0] : entry;
  return Math.floor((t.start + t.end) / 2);
}
function scrollToCurrent() {
  const grid = $('grid'), y = Math.floor(current / columns()) * CARD_H;
  if (y < grid.scrollTop) grid.scrollTop = y;
  else if (y + CARD_H > grid.scrollTop + grid.clientHeight)
    grid.scrollTop = y + CARD_H + 8 - grid.clientHeight;
}
function goToCurrent() {
  if (shown[current]) go(middle(shown[current]));
  scrollToCurrent();
  redraw();
}
function move(by) {
  current = Math.max(0, Math.min(shown.length - 1, current + by));
  goToCurrent();
}
function targets() {
  const entries = chosen.size ? [...chosen].map(id => shown[places.get(id)]) : [shown[current]];
  return entries.filter(Boolean).flatMap(idsOf);
}

const isHidden = id => tracks.get(id).action === 'hide';
// Decides about all chosen tracks. If only some of them are hidden, these stay hidden and chosen, so
// that nobody shows a face by accident: the person must press the key again.
async function decideTogether(action) {
  const ids = targets(), hidden = action === 'hide' ? [] : ids.filter(isHidden);
  const isMixed = hidden.length > 0 && hidden.length < ids.length;
  const changed = isMixed ? ids.filter(id => !isHidden(id)) : ids;
  const before = chosen;
  chosen = isMixed ? new Set([...chosen].filter(id => tracks.has(id) && isHidden(id))) : new Set();
  if (!await change({action, tracks: changed})) chosen = before;
  else if (isMixed)
    say(`${hidden.length} of the chosen tracks are hidden. They stay hidden and chosen: ` +
      'press the key again to make them visible.');
  redraw();
  drawCounts();
}
async function decide(action) {
  if (chosen.size) return decideTogether(action);
  const ids = targets(), place = current, before = shown[current];
  if (!ids.length || !await change({action, tracks: ids})) return;
  // If the track has left the list, the next one has taken its place.
  if (shown[place] === before || shown[place]?.id === before?.id) move(1); else goToCurrent();
}

function choose(i, event) {
  const t = shown[i];
  if (event.shiftKey) {
    for (let k = Math.min(i, anchor); k <= Math.max(i, anchor); k++) chosen.add(shown[k].id);
  } else if (event.ctrlKey || event.metaKey) {
    if (!chosen.delete(t.id)) chosen.add(t.id);
    anchor = i;
  } else {
    chosen = new Set();
    anchor = i;
  }
  current = i;
  goToCurrent();
}
function chooseCurrent() {
  const t = shown[current];
  if (t && !chosen.delete(t.id)) chosen.add(t.id);
  anchor = current;
  redraw();
  drawCounts();
}
// Groups are left out, because nobody has seen what is in them.
function chooseAll() {
  const single = shown.filter(entry => !entry.members), all = single.length ? single : shown;
  chosen = new Set(chosen.size === all.length ? [] : all.map(t => t.id));
  redraw();
  drawCounts();
}

function setFilter(values) {
  Object.assign(filter, values);
  $('which').value = filter.which;
  $('score').value = filter.score;
  $('size').value = filter.size;
  $('length').value = filter.length;
  $('order').value = filter.order;
  list();
}
function showTrack(id) {
  const t = tracks.get(id), score = isStrong(t) ? filter.score : Math.floor(100 * t.score) / 100;
  if (!places.has(id)) {
    opened = null;
    setFilter({which: 'all', score, size: 0, length: 0});
  }
  current = places.get(id) ?? 0;
  forgetBoxes();
}
function next() {
  opened = null;
  setFilter({which: 'todo'});
  if (!shown.length) return say('There is nothing left to look at.');
  current = 0;
  goToCurrent();
}

// --- Boxes by hand
let mode = '', editing = null;
function setMode(to, track = null) {
  mode = to;
  editing = track;
  $('stage').classList.toggle('drawing', mode !== '');
  $('box').setAttribute('aria-pressed', mode === 'box');
  $('edit').setAttribute('aria-pressed', mode === 'edit');
}
const currentByHand = () => {
  const t = shown[current];
  if (t && t.person) return t;
  say('This needs a track that was drawn by hand: draw a box first.');
  return null;
};
function editCurrent() {
  if (mode === 'edit') return setMode('');
  const t = currentByHand();
  if (t) setMode('edit', t.id);
}
const DRAWN_S = 1;  // a new box holds for this long, until the person changes it

async function finishBox(box) {
  if (editing !== null && tracks.has(editing)) {
    await change({action: 'key', track: editing, box: [here, ...box]});
    return;
  }
  const end = Math.min(video.last_pts, here + ticks(DRAWN_S));
  const answer = await change({action: 'draw', boxes: [[here, ...box]], end: Math.max(here, end)});
  if (!answer) return;
  showTrack(answer.tracks[0][0]);
  setMode('edit', answer.tracks[0][0]);  // the next box, at another time, belongs to this track
  scrollToCurrent();
  redraw();
}
const pointOf = event => {
  const place = $('overlay').getBoundingClientRect();
  return [(event.clientX - place.left) / place.width * video.width,
    (event.clientY - place.top) / place.height * video.height];
};
async function chooseAt([x, y]) {
  let best = null;
  for (const [id, flat] of await boxesNear(here)) {
    const t = tracks.get(id), box = t && boxAt(t, flat, here);
    if (box && isVisible(t) && x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3] &&
        (!best || t.size < best.size)) best = t;
  }
  if (!best) return;
  showTrack(best.id);
  scrollToCurrent();
  redraw();
}
$('overlay').addEventListener('pointerdown', event => {
  if (!video) return;
  const point = pointOf(event);
  if (!mode) return void chooseAt(point);
  drawing = [...point, ...point];
  $('overlay').setPointerCapture(event.pointerId);
});
$('overlay').addEventListener('pointermove', event => {
  if (!drawing) return;
  [drawing[2], drawing[3]] = pointOf(event);
  void drawOverlay();
});
$('overlay').addEventListener('pointerup', () => {
  if (!drawing) return;
  const [a, b, c, d] = drawing;
  drawing = null;
  void finishBox([Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)]);
});

function changeEnd(action) {
  const t = currentByHand();
  if (t) void change({action, track: t.id, at: here});
}
function split() {
  const t = shown[current];
  if (t?.members) return say('A group can\'t be split. Open it first.');
  if (t) void change({action: 'split', track: t.id, at: here});
}
function remove() {
  const ids = targets().filter(id => tracks.get(id).person);
  if (!ids.length) return say('Only tracks that were drawn by hand can be removed. Keep the others.');
  chosen = new Set();
  void change({action: 'remove', tracks: ids});
}

// --- Saving and rendering, which go on without the page
let stateTimer = null, hadFindings = '';
function askForStateSoon(ms = 2500) {
  clearTimeout(stateTimer);
  stateTimer = setTimeout(askForState, ms);
}
async function askForState() {
  let state;
  try {
    state = await (await ask('/state')).json();
  } catch (error) {
    return say(error.message);
  }
  const {saving, rendering} = state;
  $('saved').classList.toggle('bad', saving.error !== '');
  $('saved').textContent = saving.error ? `Not saved: ${saving.error}` :
    saving.note ? saving.note : saving.saved ? `Saved to ${video.edits}` : 'Saving soon';
  await showRendering(rendering);
  const busy = rendering.state === 'hiding' || rendering.state === 'verifying';
  if (busy) askForStateSoon(500); else if (!saving.saved && !saving.error) askForStateSoon();
}
async function showRendering(state) {
  const busy = state.state === 'hiding' || state.state === 'verifying';
  $('hideall').disabled = busy;
  $('stop').hidden = $('progress').hidden = !busy;
  $('render').dataset.state = state.state;
  if (busy) {
    if (state.expected > 0) $('progress').value = Math.min(1, state.frames / state.expected);
    else $('progress').removeAttribute('value');
    const of = state.expected > 0 ? ` of ${state.expected}` : '';
    $('rendered').textContent = `${state.state}: frame ${state.frames}${of}` +
      (state.fps > 0 ? `, ${state.fps.toFixed(1)} frames a second` : '');
  } else if (state.state !== 'none') {
    $('rendered').textContent = state.output ? `${state.output}: ${state.message}` : state.message;
  }
  const key = `${state.state} ${state.findings} ${state.output}`;
  if (!busy && key !== hadFindings) {
    hadFindings = key;
    showFindings(await (await ask('/findings')).json());
  }
}
const KINDS = {leak: 'a face that can be seen', cosmetic: 'a face that is only blurred',
  else: 'something like a face that only the hidden video shows'};
function itemOf(finding) {
  const item = document.createElement('li'), look = document.createElement('button');
  look.textContent = `${clock(finding.from_s)} to ${clock(finding.to_s)}: ` +
    (KINDS[finding.kind] ?? finding.kind) + (finding.place ? ` (${finding.place})` : '');
  look.addEventListener('click', () => {
    marked = {pts: finding.at[0], box: finding.at.slice(1)};
    go(finding.at[0]);
  });
  item.append(look);
  if (finding.place || !finding.keys.length) return item;
  const cover = document.createElement('button');
  cover.textContent = 'Hide it';
  cover.addEventListener('click', async () => {
    const keys = finding.keys, end = keys[keys.length - 1][0];
    const answer = await change({action: 'draw', boxes: keys, end});
    if (!answer) return;
    cover.disabled = true;
    showTrack(answer.tracks[0][0]);
    goToCurrent();
  });
  item.append(' ', cover);
  return item;
}
// Weak findings are many, and few of them are faces. So they appear only when the person asks.
function showFindings(findings) {
  const weak = findings.filter(finding => finding.weak);
  $('findings').replaceChildren(...findings.filter(finding => !finding.weak).map(itemOf));
  if (!weak.length) return;
  const more = document.createElement('button');
  more.textContent = `Show ${weak.length} weaker places`;
  more.addEventListener('click', () => more.replaceWith(...weak.map(itemOf)));
  $('findings').append(more);
}
async function render() {
  say('');
  try {
    await changing;
    await ask('/render', JSON.stringify({verify: $('depth').value, replace: $('replace').checked}));
  } catch (error) {
    say(error.message);
  }
  askForStateSoon(100);
}
async function finish() {
  if (ownServer) return ownServer.download();
  try {
    await changing;
    // The server makes no more pictures when it ends.
    for (const picture of document.images) picture.removeAttribute('src');
    await ask('/quit', '');
  } catch (error) {
    void refresh();
    return say(error.message);
  }
  clearTimeout(stateTimer);
  const end = document.createElement('p');
  end.className = 'message';
  end.id = 'ended';
  end.textContent = `The review has ended, and ${video.edits} is saved. You can close this page.`;
  document.body.replaceChildren(end);
}

// --- Buttons and keys
const KEYS = {
  ArrowRight: () => move(1), ArrowLeft: () => move(-1),
  ArrowDown: () => move(columns()), ArrowUp: () => move(-columns()),
  h: () => decide('hide'), k: () => decide('keep'), s: () => decide('suggest'),
  x: chooseCurrent, a: chooseAll, n: next,
  z: () => change({action: 'undo'}), y: () => change({action: 'redo'}),
  ',': () => go(here, 'before'), '.': () => go(here, 'after'),
  b: () => setMode(mode === 'box' ? '' : 'box'), e: editCurrent,
  '[': () => changeEnd('begin'), ']': () => changeEnd('end'), c: split, Delete: remove,
  Escape: () => {
    const closes = mode === '' && !chosen.size && !marked && opened !== null;
    setMode('');
    chosen = new Set();
    marked = null;
    say('');
    if (closes) closeGroup(); else redraw();
  },
  Enter: openGroup,
  '?': () => $('help').showModal(),
};
const BUTTONS = {
  hide: KEYS.h, keep: KEYS.k, suggest: KEYS.s, all: chooseAll, open: openGroup, next, undo: KEYS.z, redo: KEYS.y,
  earlier: KEYS[','], later: KEYS['.'], box: KEYS.b, edit: editCurrent, begin: KEYS['['],
  end: KEYS[']'], split, remove, keys: KEYS['?'], hideall: render, finish,
  stop: () => ask('/render/stop', '').catch(error => say(error.message)),
};
for (const [id, act] of Object.entries(BUTTONS)) $(id).addEventListener('click', () => void act());
addEventListener('keydown', event => {
  const typing = event.target.closest('input:not([type=checkbox]),select,dialog') ||
    event.key === 'Enter' && event.target.closest('button,a,summary');
  if (!video || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  void act();
});
for (const id of ['which', 'score', 'size', 'length', 'order'])
  $(id).addEventListener('change', event => {
    const isWord = id === 'which' || id === 'order';
    opened = null;
    setFilter({[id]: isWord ? event.target.value : Math.max(0, +event.target.value || 0)});
    if (id === 'score') filter.score = Math.min(1, filter.score);
    current = 0;
    $('grid').scrollTop = 0;
    forgetBoxes();
    void refresh();
  });
$('cover').addEventListener('change', () => void drawOverlay());
$('bright').addEventListener('change', () => document.body.classList.toggle('bright', $('bright').checked));
$('pad').addEventListener('click', event => {
  const card = event.target.closest('.track');
  if (!card) return;
  const id = card.dataset.id;
  choose(places.get(id) ?? places.get(+id), event);  // groups have words as ids, tracks numbers
});
$('pad').addEventListener('dblclick', () => { if (shown[current]?.members) openGroup(); });
$('grid').addEventListener('scroll', () => requestAnimationFrame(drawCards));
addEventListener('resize', () => { if (video) redraw(); });
$('line').addEventListener('pointerdown', event => {
  const part = event.offsetX / $('line').clientWidth;
  go(Math.round(video.first_pts + part * (video.last_pts - video.first_pts)));
});

async function begin() {
  try {
    await load();
  } catch (error) {
    return say(error.message);
  }
  if (ownServer) ownServer.prepare();
  $('name').textContent = video.name;
  document.title = `${video.name} – review`;
  here = video.first_pts;
  list();
  go(shown[0] ? middle(shown[0]) : video.first_pts);
  redraw();
  document.body.dataset.ready = Math.round(performance.now());
  void askForState();
}
void begin();
)js";

}  // namespace facepipe::app
