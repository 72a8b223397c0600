#include "app/review/review_page.h"

namespace facepipe::app {

const char* const kReviewGroupsScript = R"js(
// Suggestions that score less than "score from" get no card of their own: a film has thousands of
// them, and most are not faces. One card shows all of them that begin in a part of the picture and in
// a part of the video. A person opens such a group, or decides about it as a whole.
const PARTS_ACROSS = 6, MOST_SPANS = 10, LEAST_SPAN_S = 10;
let opened = null;  // the key of the group that is open

const spanTicks = () => Math.max(1, ticks(LEAST_SPAN_S),
  Math.ceil((video.last_pts - video.first_pts + 1) / MOST_SPANS));
function groupKey(t) {
  const side = Math.max(1, video.width / PARTS_ACROSS);
  const inside = (at, length) => Math.max(0, Math.min(length - 1, at));
  const span = Math.floor((t.start - video.first_pts) / spanTicks());
  return `g${span}.${Math.floor(inside(t.y, video.height) / side)}` +
    `.${Math.floor(inside(t.x, video.width) / side)}`;
}

function placeWords(x, y) {
  const word = (at, length, words) => words[Math.max(0, Math.min(2, Math.floor(3 * at / length)))];
  const words = [word(y, video.height, ['top', '', 'bottom']), word(x, video.width, ['left', '', 'right'])];
  return words.filter(Boolean).join(' ') || 'middle';
}

function groupOf(id, members) {
  members.sort((a, b) => b.score - a.score || a.id - b.id);
  const best = members[0];
  const sum = name => members.reduce((total, t) => total + t[name], 0) / members.length;
  let start = best.start, end = best.end;
  for (const t of members) {
    start = Math.min(start, t.start);
    end = Math.max(end, t.end);
  }
  return {id, members, ids: new Set(members.map(t => t.id)), action: 'suggest', person: false, start,
    end, score: best.score, size: sum('size'), held: 0, inside: false, doubtful: false, boxes: best.boxes,
    long: (end - start) * video.time_base[0] / video.time_base[1],
    place: placeWords(sum('x'), sum('y'))};
}

// Puts each weak suggestion into exactly one group.
function groupsOf(weak) {
  const groups = new Map();
  for (const t of weak) {
    const key = groupKey(t);
    if (groups.has(key)) groups.get(key).push(t); else groups.set(key, [t]);
  }
  return [...groups].map(([key, members]) => groupOf(key, members));
}

const idsOf = entry => entry.members ? entry.members.map(t => t.id) : [entry.id];

// Whether the picture shows the track's box now.
function isVisible(t) {
  const now = shown[current];
  return isStrong(t) || t === now || now?.ids?.has(t.id) || opened !== null && groupKey(t) === opened;
}
// Whether the picture needs the boxes of weak suggestions, too.
const needsWeak = () => opened !== null || shown[current]?.members !== undefined ||
  shown[current] !== undefined && !isStrong(shown[current]);

function openGroup() {
  if (opened !== null) return closeGroup();
  const group = shown[current];
  if (!group?.members) return say('Only a card that stands for several weak suggestions can be opened.');
  opened = group.id;
  chosen = new Set();
  current = 0;
  $('grid').scrollTop = 0;
  list();
  goToCurrent();
  drawCounts();
}
function closeGroup() {
  const id = opened;
  opened = null;
  chosen = new Set();
  list();
  current = places.get(id) ?? Math.max(0, Math.min(current, shown.length - 1));
  goToCurrent();
  drawCounts();
}
)js";

}  // namespace facepipe::app
