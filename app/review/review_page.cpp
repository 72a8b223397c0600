#include "app/review/review_page.h"

#include <cstddef>
#include <string>
#include <vector>

#include "app/output/html/base64.h"
#include "core/files/sha256.h"

namespace facepipe::app {
namespace {

constexpr const char* kBeginning = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>facepipe review</title>
)html";

constexpr const char* kServedHead = R"html(<link rel="stylesheet" href="/review.css">
<script src="/review.js" defer></script></head>
)html";

constexpr const char* kBody = R"html(<body>
<noscript><p class="message">This page needs its script. Allow scripts for it.</p></noscript>
<header id="top"><h1 id="name">facepipe review</h1><span id="saved" role="status"></span>
<span id="count"></span>
<span class="row"><button id="undo" disabled>Undo <kbd>z</kbd></button>
<button id="redo" disabled>Redo <kbd>y</kbd></button>
<button id="keys">Keys <kbd>?</kbd></button>
<button id="finish">Finish</button></span>
<p id="alone" class="dim" hidden></p>
<p id="message" class="message" role="alert" hidden></p></header>
<section id="view" aria-label="Picture">
<div id="stage"><img id="frame" alt="The frame of the video at the chosen time">
<canvas id="overlay"></canvas><span id="rough" hidden>looking for the exact frame</span></div>
<canvas id="line" title="Click to go to a time. Heights show how many tracks there are."></canvas>
<div class="row"><button id="earlier" title="A frame back">&#8249; <kbd>,</kbd></button>
<button id="later" title="A frame on">&#8250; <kbd>.</kbd></button><span id="when"></span>
<label><input type="checkbox" id="cover"> show hidden</label>
<label><input type="checkbox" id="bright"> brighter</label></div>
<div class="row"><button id="box" aria-pressed="false">Draw a box <kbd>b</kbd></button>
<button id="edit" aria-pressed="false">Move its box <kbd>e</kbd></button>
<button id="begin">Begins here <kbd>[</kbd></button><button id="end">Ends here <kbd>]</kbd></button>
<button id="split">Split here <kbd>c</kbd></button>
<button id="remove">Remove <kbd>Del</kbd></button></div>
<div id="strip" aria-label="The current track"></div>
<div id="render"><div class="row"><button id="hideall" class="main">Hide and verify</button>
<label>verify <select id="depth"><option value="full">fully</option>
<option value="quick">quickly</option><option value="none">not now</option></select></label>
<label><input type="checkbox" id="replace"> replace an earlier output</label>
<button id="stop" hidden>Stop</button></div>
<progress id="progress" max="1" value="0" hidden></progress>
<p id="rendered" role="status"></p><ol id="findings"></ol></div>
</section>
<section id="list" aria-label="Tracks"><div id="filter" class="row">
<select id="which" aria-label="Which tracks are shown"><option value="todo">to look at</option>
<option value="doubt">hidden, doubtful</option><option value="hide">hidden</option>
<option value="keep">kept</option><option value="suggest">suggested</option>
<option value="person">by hand</option><option value="all">all</option></select>
<label>score from <input type="number" id="score" step="0.05" min="0" max="1" value="0.1"></label>
<label>size from <input type="number" id="size" step="4" min="0" value="0"> px</label>
<label>length from <input type="number" id="length" step="0.2" min="0" value="0"> s</label>
<label>first <select id="order"><option value="doubt">doubtful</option>
<option value="score">score</option><option value="time">time</option>
<option value="size">size</option><option value="length">length</option></select></label></div>
<div class="row actions"><button id="hide">Hide <kbd>h</kbd></button>
<button id="keep">Keep <kbd>k</kbd></button><button id="suggest">No face <kbd>s</kbd></button>
<button id="all">Select all <kbd>a</kbd></button>
<button id="open">Open group <kbd>Enter</kbd></button><button id="next">Next to look at <kbd>n</kbd></button>
</div><div id="grid" tabindex="0" role="listbox" aria-label="Tracks"><div id="pad"></div></div>
<p id="weak" class="dim"></p></section>
<dialog id="help"><h2>Keys</h2><dl>
<dt>arrows</dt><dd>go from track to track</dd>
<dt>h, k, s</dt><dd>hide; keep visible; no face, or leave it as it is</dd>
<dt>x, a, shift+click</dt><dd>select one, all that are shown (without groups), a range</dd>
<dt>Enter</dt><dd>open a group of weak suggestions, or close it</dd>
<dt>n</dt><dd>go to the next track that nobody has looked at</dd>
<dt>z, y</dt><dd>undo, redo</dd>
<dt>, .</dt><dd>a frame back, a frame on</dd>
<dt>b</dt><dd>draw a box over a face that was not found</dd>
<dt>e</dt><dd>draw the box of the current track, made by hand, at another time</dd>
<dt>[ ]</dt><dd>the track begins here, ends here</dd>
<dt>c</dt><dd>split the track: from here on it is another one</dd>
<dt>Delete</dt><dd>remove a track made by hand</dd>
<dt>Esc</dt><dd>stop drawing, select nothing, close a group</dd></dl>
<form method="dialog"><button>Close</button></form></dialog>
)html";

constexpr const char* kEnd = "</body></html>\n";

// The page holds pictures of faces, so nothing of it may leave this server.
constexpr const char* kPolicy =
    "default-src 'none'; img-src 'self' blob:; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string script_for(const char* server) {
  return std::string("'use strict';\n") + server + kReviewModelScript + kReviewGroupsScript +
         kReviewViewScript + kReviewActionScript;
}

/// Returns the word by which a policy allows this text alone.
std::string hash_word(const std::string& text) {
  const std::string digits = sha256_hex(text);
  std::vector<std::byte> bytes;
  constexpr int kHexadecimal = 16;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, kHexadecimal)));
  return "'sha256-" + base64(bytes) + "'";
}

}  // namespace

std::string review_file_beginning() {
  const std::string style = kReviewStyle;
  return std::string(kBeginning) +
         "<meta name=\"referrer\" content=\"no-referrer\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data: "
         "blob:; style-src " +
         hash_word(style) + "; script-src " + hash_word(script_for(kReviewFileScript)) +
         "; base-uri 'none'; form-action 'none'\">\n<style>" + style + "</style></head>\n" + kBody;
}

std::string review_file_end() {
  return "<script>" + script_for(kReviewFileScript) + "</script>\n" + kEnd;
}

HttpAnswer review_page() {
  HttpAnswer answer{.type = "text/html; charset=utf-8",
                    .body = std::string(kBeginning) + kServedHead + kBody + kEnd};
  answer.headers.emplace_back("Content-Security-Policy", kPolicy);
  return answer;
}

HttpAnswer review_style() { return {.type = "text/css; charset=utf-8", .body = kReviewStyle}; }

HttpAnswer review_script() {
  return {.type = "text/javascript; charset=utf-8", .body = script_for(kReviewServedScript)};
}

}  // namespace facepipe::app
