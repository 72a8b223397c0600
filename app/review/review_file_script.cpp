#include "app/review/review_page.h"

namespace facepipe::app {

const char* const kReviewServedScript = R"js(
const ownServer = null;  // the page asks facepipe
)js";

const char* const kReviewFileScript = R"js(
// A page that is one file does itself what the server does otherwise. All data are in the page.
const dataOf = id => JSON.parse(document.getElementById(id).textContent);
const piecesOf = kind => [...document.querySelectorAll(`script.${kind}`)].flatMap(element => {
  const piece = JSON.parse(element.textContent);
  element.remove();  // the text is no longer needed
  return piece;
});

class OwnServer {
  constructor() {
    this.facts = dataOf('facts');
    this.file = dataOf('edit-file');
    this.rows = new Map(this.facts.tracks.map(row => [row[0], row]));
    this.found = new Map(this.file.tracks.map(track => [track.id, track]));
    this.pictures = new Map(piecesOf('pictures').map(([id, number, jpeg]) => [`${id} ${number}`, jpeg]));
    this.frames = piecesOf('frames').sort((a, b) => a[0] - b[0]);
    this.nextId = this.file.tracks.reduce((most, track) => Math.max(most, track.id), -1) + 1;
    this.done = [];
    this.undone = [];
    this.revision = this.downloaded = 0;
    addEventListener('beforeunload', event => {
      if (this.revision !== this.downloaded) event.preventDefault();
    });
  }

  note() {
    return this.revision === this.downloaded ? (this.revision ? 'The edit file is downloaded' : '') :
      'Decisions are only in this page: download the edit file';
  }

  // Hides what needs the program.
  prepare() {
    for (const id of ['edit', 'begin', 'end', 'split', 'render']) document.getElementById(id).hidden = true;
    document.getElementById('finish').textContent = 'Download the edit file';
    const notice = document.getElementById('alone');
    notice.hidden = false;
    notice.textContent = 'This file shows faces that are to be hidden. Whoever has it can see them. ' +
      `It holds ${this.frames.length} pictures of the video.`;
  }

  picture(id, number) {
    const jpeg = this.pictures.get(`${id} ${number}`);
    return jpeg === undefined ? null : `data:image/jpeg;base64,${jpeg}`;
  }

  async ask(path, body) {
    const [name, words] = path.split('?'), query = new URLSearchParams(words);
    const number = key => Number(query.get(key));
    if (name === '/tracks') return this.answer(this.all());
    if (name === '/boxes') return this.answer(this.boxes(number('from'), number('to'), number('score')));
    if (name === '/frame') return this.frame(number('pts'), query.get('choice'));
    if (name === '/changes') return this.answer(this.change(JSON.parse(body)));
    if (name === '/findings') return this.answer([]);
    if (name === '/state')
      return this.answer({saving: {saved: true, error: '', note: this.note() || ' '},
        rendering: {state: 'none', findings: 0, output: ''}});
    throw new Refused('Only facepipe review can do this, not a page that is one file.');
  }
  answer(json) { return new Response(JSON.stringify(json)); }

  state() {
    return {revision: this.revision, can_undo: this.done.length > 0, can_redo: this.undone.length > 0};
  }
  all() { return {...this.facts, ...this.state(), tracks: [...this.rows.values()]}; }

  boxes(from, to, percent) {
    const near = [];
    for (const [id, action, person, start, end, score] of this.rows.values()) {
      if (end < from || start > to || action === 2 && score < percent / 100) continue;
      const flat = this.found.get(id).boxes
        .filter(box => person || box[0] >= from && box[0] <= to).flatMap(box => [...box.slice(0, 5), 0]);
      if (flat.length) near.push([id, ...flat]);
    }
    return {tracks: near};
  }

  // Returns the picture that is nearest, or the next one in a direction.
  frame(pts, choice) {
    if (!this.frames.length) throw new Refused('This file holds no picture of the video.');
    const far = ([at]) => Math.abs(at - pts);
    let best = this.frames.reduce((a, b) => far(b) < far(a) ? b : a);
    if (choice === 'after') best = this.frames.find(([at]) => at > pts) ?? best;
    if (choice === 'before') best = this.frames.findLast(([at]) => at < pts) ?? best;
    const bytes = Uint8Array.from(atob(best[1]), letter => letter.charCodeAt(0));
    return new Response(new Blob([bytes], {type: 'image/jpeg'}), {headers: {'X-Pts': best[0]}});
  }

  // --- Decisions. A state of a track is its row and its entry in the edit file; null: no track.
  stateOf(id) {
    return this.rows.has(id) ? {row: this.rows.get(id), track: this.found.get(id)} : null;
  }
  put(id, state) {
    if (!state) {
      this.rows.delete(id);
      this.found.delete(id);
      return;
    }
    this.rows.set(id, state.row);
    this.found.set(id, state.track);
  }
  change(request) {
    if (request.action === 'undo' || request.action === 'redo') {
      const undoes = request.action === 'undo', step = (undoes ? this.done : this.undone).pop();
      if (!step) throw new Refused(undoes ? 'There is nothing to undo.' : 'There is nothing to repeat.');
      (undoes ? this.undone : this.done).push(step);
      return this.carryOut(step.map(({id, before, after}) => ({id, after: undoes ? before : after})));
    }
    const step = this.stepOf(request);
    this.done.push(step);
    this.undone = [];
    return this.carryOut(step);
  }
  stepOf(request) {
    if (request.action === 'draw') return [this.drawn(request)];
    if (request.action === 'remove')
      return request.tracks.map(id => ({id, before: this.stateOf(id), after: null}));
    const action = ACTIONS.indexOf(request.action);
    if (action < 0) throw new Refused('Only facepipe review can do this, not a page that is one file.');
    return request.tracks.map(id => {
      const before = this.stateOf(id), row = [...before.row];
      row[1] = action;
      row[9] = 1;
      return {id, before, after: {row, track: {...before.track, action: request.action}}};
    });
  }
  drawn({boxes, end}) {
    const id = this.nextId++, [pts, ...edges] = boxes[0];
    const limits = [this.facts.width, this.facts.height, this.facts.width, this.facts.height];
    const box = edges.map((edge, i) => Math.fround(Math.max(0, Math.min(limits[i], edge))));
    const width = box[2] - box[0], height = box[3] - box[1];
    if (!(width >= 2 && height >= 2)) throw new Refused('The box is too small, or lies outside of the picture.');
    const track = {id, action: 'hide', start_pts: pts, end_pts: end, score_max: 0, origin: 'person',
      boxes: [[pts, ...box, 'seen']]};
    const row = [id, 0, 1, pts, end, 0, Math.min(width, height), 0, 0, 1, 1,
      (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, null];
    return {id, before: null, after: {row, track}};
  }
  carryOut(step) {
    this.revision++;
    for (const {id, after} of step) this.put(id, after);
    return {...this.state(), removed: step.filter(({after}) => !after).map(({id}) => id),
      tracks: step.filter(({after}) => after).map(({after}) => after.row)};
  }

  // Gives the browser the edit file, with all tracks.
  download() {
    const tracks = [...this.found.values()].sort((a, b) => a.id - b.id);
    const text = `${JSON.stringify({...this.file, tracks})}\n`;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], {type: 'application/json'}));
    link.download = this.facts.edits;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    this.downloaded = this.revision;
    say(`Your browser saves ${this.facts.edits}. Then: facepipe hide VIDEO --tracks ${this.facts.edits}`);
    void askForState();
  }
}
const ownServer = new OwnServer();
)js";

}  // namespace facepipe::app
