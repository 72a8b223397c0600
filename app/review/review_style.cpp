#include "app/review/review_page.h"

namespace facepipe::app {

const char* const kReviewStyle = R"css(
:root{--bg:#f6f7f9;--fg:#1b1f24;--dim:#5b6470;--card:#fff;--line:#dfe3e8;--hide:#2563c9;
--keep:#0b7d5a;--suggest:#b4560b;--bad:#b3261e;--chosen:#cfe0fb;--halo:#fff}
@media(prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e6e9ed;--dim:#9aa4b0;--card:#1d2126;
--line:#2e343b;--hide:#6ea8ff;--keep:#4fd0a5;--suggest:#f0a35e;--bad:#ff8a80;--chosen:#24406b}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html,body{height:100%}
body{margin:0;background:var(--bg);color:var(--fg);
font:14px/1.4 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
display:grid;grid-template:auto 1fr/minmax(340px,46%) minmax(0,1fr);
grid-template-areas:"top top" "view list"}
#top{grid-area:top;display:flex;flex-wrap:wrap;gap:6px 12px;align-items:center;padding:8px 12px;
background:var(--card);border-bottom:1px solid var(--line)}
h1{font-size:15px;margin:0;overflow-wrap:anywhere}
h2{font-size:15px;margin:0 0 8px}
#saved{color:var(--dim);font-size:12px}
#saved.bad{color:var(--bad)}
#count{color:var(--dim);flex:1 1 300px;text-align:right;font-variant-numeric:tabular-nums}
.message{flex-basis:100%;margin:0;padding:6px 10px;border-radius:6px;border:1px solid var(--bad);
border-left-width:4px;overflow-wrap:anywhere}
button,select,input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);
border-radius:6px;padding:4px 9px}
button{cursor:pointer}
button:disabled{opacity:.45;cursor:default}
button[aria-pressed=true]{background:var(--chosen);border-color:var(--hide)}
button.main{background:#2563c9;border-color:#2563c9;color:#fff}
:focus-visible{outline:2px solid var(--hide);outline-offset:1px}
kbd{font:11px ui-monospace,"DejaVu Sans Mono",monospace;border:1px solid var(--line);
border-radius:4px;padding:0 4px;color:var(--dim)}
.row{display:flex;flex-wrap:wrap;gap:6px;align-items:center}
#view{grid-area:view;display:flex;flex-direction:column;gap:8px;padding:10px;min-height:0;
overflow:auto}
#stage{position:relative;background:#000;border-radius:8px;overflow:hidden;flex:none;min-height:60px}
#stage img{width:100%;display:block}
#stage canvas{position:absolute;inset:0;width:100%;height:100%;touch-action:none}
#stage.drawing canvas{cursor:crosshair}
#rough{position:absolute;left:8px;bottom:8px;background:#000a;color:#fff;border-radius:4px;
padding:1px 8px;font-size:12px}
#line{height:46px;width:100%;background:var(--card);border:1px solid var(--line);border-radius:6px;
cursor:pointer;flex:none}
#when{font-variant-numeric:tabular-nums;color:var(--dim);min-width:90px}
label{color:var(--dim)}
#strip{display:flex;gap:4px;flex-wrap:wrap;min-height:80px;align-items:flex-start}
#strip img{width:76px;height:76px;object-fit:contain;border-radius:4px;background:#8883}
#render{border-top:1px solid var(--line);padding-top:8px}
#rendered{margin:6px 0;overflow-wrap:anywhere}
progress{width:100%}
#findings{margin:0;padding-left:24px;max-height:220px;overflow:auto}
#findings button{margin:1px 0}
#list{grid-area:list;display:flex;flex-direction:column;min-height:0;min-width:0;
border-left:1px solid var(--line)}
#filter,.actions{padding:8px 10px 0}
.actions{padding-bottom:8px;border-bottom:1px solid var(--line)}
#filter input[type=number]{width:68px}
#grid{flex:1;overflow:auto;position:relative;min-height:200px}
#pad{position:relative}
#weak{margin:0;padding:4px 10px;font-size:12px}
.dim{color:var(--dim)}
.track{position:absolute;width:132px;height:150px;background:var(--card);
border:1px solid var(--line);border-left:4px solid var(--c);border-radius:6px;padding:4px;
cursor:pointer;overflow:hidden}
.track.chosen{background:var(--chosen)}
.track.current{outline:2px solid var(--fg)}
.track img{display:block;width:76px;height:76px;margin:0 auto 2px;border-radius:3px;
background:#8883;object-fit:contain}
.track b{font-weight:600;color:var(--c)}
.track small{display:block;color:var(--dim);font-size:11px;white-space:nowrap;overflow:hidden}
.track.group{box-shadow:3px 3px 0 -1px var(--card),3px 3px 0 0 var(--line)}
body.bright img{filter:brightness(2.4) contrast(1.1)}
#alone{flex-basis:100%;margin:0}
.hide{--c:var(--hide)}.keep{--c:var(--keep)}.suggest{--c:var(--suggest)}
dialog{background:var(--card);color:var(--fg);border:1px solid var(--line);border-radius:10px;
max-width:560px}
dt{font-weight:600}dd{margin:0 0 6px 16px}
@media(max-width:760px){
body{grid-template:auto auto auto/minmax(0,1fr);grid-template-areas:"top" "view" "list";height:auto}
#list{border:0}#grid{height:70vh;flex:none}kbd{display:none}
#count{text-align:left;flex-basis:100%}}
@media print{#view .row,#filter,.actions,#render{display:none}}
)css";

}  // namespace facepipe::app
