#include "app/output/html/page_style.h"

namespace facepipe::app {

const char* const kPageStyle = R"css(
:root{--bg:#f6f7f9;--fg:#1b1f24;--dim:#5b6470;--card:#fff;--line:#dfe3e8;--grid:#e9ecf0;
--blue:#2563c9;--orange:#b4560b;--green:#0b7d5a;--bad:#b3261e;--bar:#cfe0fb;--marked:#9dbdf3}
@media(prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e6e9ed;--dim:#9aa4b0;--card:#1d2126;
--line:#2e343b;--grid:#292f36;--blue:#6ea8ff;--orange:#f0a35e;--green:#4fd0a5;--bad:#ff8a80;
--bar:#24406b;--marked:#3a66ab}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);
font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
header,main,footer{max-width:1160px;margin:0 auto;padding:0 16px}
header{padding-top:20px}
.kind{margin:0;color:var(--dim);font-size:13px}
h1{margin:2px 0 8px;font-size:26px;line-height:1.25;overflow-wrap:anywhere}
h2{margin:0 0 2px;font-size:15px;font-weight:650}
.note{margin:0 0 10px;color:var(--dim);font-size:13px}
p{margin:0 0 8px;overflow-wrap:anywhere}p:last-child{margin-bottom:0}
.verdict{margin:0 0 12px;padding:9px 12px;border-radius:8px;background:var(--card);
border:1px solid var(--line);border-left:4px solid var(--green)}
.verdict.bad{border-left-color:var(--bad)}
.verdict b{color:var(--green);margin-right:4px}.verdict.bad b{color:var(--bad)}
.verdict span{color:var(--dim);margin-left:6px}
.facts{display:grid;grid-template-columns:repeat(6,1fr);gap:10px;margin:0 0 14px}
.facts div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:8px 12px;min-width:0}
dt{color:var(--dim);font-size:12px}
dd{margin:0;font-size:21px;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{display:grid;grid-template-columns:1fr 1fr;gap:14px;padding-bottom:24px}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:14px;min-width:0}
.full{grid-column:1/-1}
.plot{position:relative;margin:8px 8px 24px 62px}
.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot path{vector-effect:non-scaling-stroke;fill:none;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
.plot .grid{stroke:var(--grid);stroke-width:1}
.plot span{position:absolute;font-size:11px;color:var(--dim);white-space:nowrap;font-variant-numeric:tabular-nums}
.plot .y{right:calc(100% + 6px);transform:translateY(50%)}
.plot .x{top:calc(100% + 4px);transform:translateX(-50%)}
.plot .mark{color:var(--fg);background:var(--card);padding:0 3px;border-radius:3px;pointer-events:none}
.mark.left{transform:translateX(calc(-100% - 3px))}.mark.right{transform:translateX(3px)}
.plot .line1{stroke:var(--blue)}.plot .line2{stroke:var(--orange)}.plot .line3{stroke:var(--green)}
.plot .area1,.plot .area2,.plot .area3{stroke:none;opacity:.22}
.plot .area1{fill:var(--blue)}.plot .area2{fill:var(--orange)}.plot .area3{fill:var(--green)}
.fill-bad{fill:var(--bad)}.fill1{fill:var(--blue)}.fill2{fill:var(--orange)}.fill3{fill:var(--green)}
.hint{fill:transparent}.hint:hover{fill:var(--fg);opacity:.07}
.lost{fill:var(--bad);opacity:.25}
.plot .rule{stroke:var(--fg);stroke-dasharray:3 3;stroke-width:1}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:500}
td,th{padding:4px 6px;border-bottom:1px solid var(--grid);vertical-align:top}
tr:last-child>td,tr:last-child>th{border-bottom:0}
thead th{color:var(--dim);font-size:12px}
.num{text-align:right;white-space:nowrap}
.stages .share{width:34%;position:relative;min-width:52px}
.share svg{position:absolute;left:6px;top:5px;width:calc(100% - 12px);height:calc(100% - 10px)}
.share rect{fill:var(--bar)}.bound .share rect{fill:var(--marked)}
.share span{position:relative;padding-left:4px;font-size:13px}
.bound th,.bound td{font-weight:650}
.bound em{font-style:normal;font-weight:500;color:var(--blue);font-size:12px;margin-left:6px}
.sum th,.sum td{color:var(--dim)}.sum .what{font-size:12px}
.kv th{color:var(--dim);width:170px}.kv td{overflow-wrap:anywhere}
code{font:12.5px/1.45 ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
ul{margin:4px 0 0;padding-left:20px}li{overflow-wrap:anywhere;margin:2px 0}
.pictures{display:grid;grid-template-columns:repeat(6,1fr);gap:8px;align-items:start}
figure{margin:0;min-width:0}
.pictures img{width:100%;height:auto;border-radius:5px;display:block}
figcaption{font-size:11px;color:var(--dim)}
.legend{margin:0 0 6px;font-size:13px;color:var(--dim)}
.scroll{overflow-x:auto}
.files td,.files th{white-space:nowrap}.files td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:110px}
.files .why{white-space:normal;overflow-wrap:anywhere;min-width:180px}
.bad-row td:nth-child(2),.bad-kind td:first-child{color:var(--bad)}
a{color:var(--blue)}
summary{cursor:pointer;font-weight:650;font-size:15px}
details .kv{margin-top:8px}
footer{color:var(--dim);font-size:12px;padding-bottom:24px}
@media screen and (max-width:760px){
main{grid-template-columns:minmax(0,1fr)}.wide-only{display:none}
.pictures{grid-template-columns:repeat(3,1fr)}
.facts{grid-template-columns:repeat(3,1fr);gap:6px}.facts div{padding:6px 8px}dd{font-size:17px}
h1{font-size:22px}.verdict span{display:block;margin-left:0}
.kv th{width:104px}.plot{margin-left:54px}
.stages td,.stages th{padding:4px 3px;font-size:13px}.stages .share{width:22%}
.bound em{display:block;margin-left:0}.sum .what{font-size:0}}
@media print{
:root{--bg:#fff;--fg:#000;--dim:#444;--card:#fff;--line:#bbb;--grid:#ddd;--blue:#2563c9;--orange:#b4560b;
--green:#0b7d5a;--bad:#b3261e;--bar:#cfe0fb;--marked:#9dbdf3}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
header,main,footer{max-width:none;padding-left:0;padding-right:0}
.card,.verdict,.facts,tr,figure{break-inside:avoid}h2,summary{break-after:avoid}
.card.long{break-inside:auto}
details::details-content{content-visibility:visible;display:block}
body{font-size:11px}h1{font-size:19px}dd{font-size:15px}.hint:hover{fill:transparent}}
)css";

}  // namespace facepipe::app
