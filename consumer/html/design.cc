#include "consumer/html/design.h"

namespace crawlsieve::consumer {
namespace {

// Pages are laid out for a glance: the answer, then what it is made of, then what led to it.
constexpr std::string_view kDesign = R"(
:root { color-scheme: light dark; --paper: #fff; --card: #f6f7f9; --ink: #16191d; --soft: #5a6370;
  --line: #d9dde3; --keep: #2f6fde; --drop: #c98a1b; --good: #1a7f4b; --bad: #b3261e;
  --mark: #ffe08a; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --card: #1d2127; --ink: #e8eaed; --soft: #a3acb8; --line: #343b45;
    --keep: #6ea3ff; --drop: #e0ac4a; --good: #58c48a; --bad: #ff8a80; --mark: #6b5300; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
header { overflow-wrap: anywhere; }
h1 { font-size: 1.1rem; margin: 0; font-weight: 600; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; font-weight: 600; }
p { margin: .3rem 0; }
.soft, th, caption { color: var(--soft); }
.answer { font-size: 1.35rem; line-height: 1.35; margin: .5rem 0; }
.state { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: baseline;
  border-left: .4rem solid var(--bad); padding: .2rem 0 .2rem .8rem; }
.state.good { border-color: var(--good); }
.state strong { font-size: 1.6rem; color: var(--bad); }
.state.good strong { color: var(--good); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .7rem;
  margin: 1rem 0; padding: 0; list-style: none; }
.tiles li { background: var(--card); border-radius: .5rem; padding: .6rem .8rem; }
.tiles b { display: block; font-size: 1.55rem; line-height: 1.2; font-weight: 600; }
.tiles span { display: block; font-size: .85rem; color: var(--soft); }
.tiles meter { width: 100%; height: .7rem; }
progress { width: 100%; height: 1rem; accent-color: var(--keep); }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr));
  gap: 0 2rem; }
.two > * { min-width: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; font-weight: 400; }
tr > .n { text-align: right; white-space: nowrap; }
svg { display: block; width: 100%; }
svg.bar { height: .7rem; width: 8rem; max-width: 20vw; margin-top: .35rem; }
.keep { fill: var(--keep); } .drop { fill: var(--drop); } .axis { stroke: var(--line); }
.key::before { content: "\25A0\00A0"; color: var(--keep); }
.key.dropped::before { color: var(--drop); }
figure { margin: 1rem 0; }
figcaption { font-size: .9rem; }
svg.chart { max-width: 44rem; height: auto; font-size: 13px; }
svg.chart text { fill: var(--soft); }
svg.chart .line { fill: none; stroke-width: 2; }
.s0 { stroke: var(--keep); } .s1 { stroke: var(--drop); stroke-dasharray: 7 4; }
.s2 { stroke: var(--good); stroke-dasharray: 2 4; }
.f0 { fill: var(--keep); } .f1 { fill: var(--drop); } .f2 { fill: var(--good); }
code { font: .85rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
mark { background: var(--mark); color: inherit; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: .2rem 1rem; padding: .4rem 0;
  border-bottom: 1px solid var(--line); }
.pair > * { min-width: 0; overflow-wrap: anywhere; }
.pair > p, .pair > .labels { grid-column: 1 / -1; font-size: .85rem; }
.pair .words { font-size: .9rem; }
.scripted .pair { content-visibility: auto; contain-intrinsic-size: auto 14rem; }
.pair[hidden] { display: none; }
.tools { display: none; }
.scripted .tools { display: flex; flex-wrap: wrap; gap: .4rem .8rem; align-items: center;
  margin: .4rem 0; }
.scripted .tools.labels { margin: 0; }
.scripted .tools.bar { position: sticky; top: 0; background: var(--paper); padding: .4rem 0;
  border-bottom: 1px solid var(--line); z-index: 1; }
button, select { font: inherit; font-size: .9rem; color: var(--ink); background: var(--card);
  border: 1px solid var(--line); border-radius: .4rem; padding: .15rem .6rem; max-width: 100%; }
button[aria-pressed="true"] { border-color: var(--keep); outline: 2px solid var(--keep);
  font-weight: 600; }
button[aria-pressed="true"]::before { content: "\2713\00A0"; }
button:disabled { color: var(--soft); }
details { margin: .5rem 0; }
details summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
a { color: var(--keep); margin-right: .8rem; }
@media (max-width: 40rem) { body { padding: .6rem; } .pair { grid-template-columns: 1fr; }
  .tiles { grid-template-columns: 1fr 1fr; } .tiles b { font-size: 1.25rem; }
  .answer { font-size: 1.15rem; } svg.bar { max-width: 10vw; } }
@media print { :root { --paper: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #bbb;
    --keep: #2f6fde; --drop: #a96f0c; --good: #1a7f4b; --bad: #b3261e; --mark: #ffe08a; }
  body { max-width: none; padding: 0; font-size: 10pt; print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }
  .scripted .tools { display: none; } .wide { overflow: visible; }
  .scripted .pair { content-visibility: visible; }
  .pair, figure, tr, .tiles li { break-inside: avoid; } h2 { break-after: avoid; } }
)";

}  // namespace

std::string_view Design() { return kDesign; }

}  // namespace crawlsieve::consumer
