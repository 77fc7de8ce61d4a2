// The report's looks: light and dark as the reader's system is, narrow and wide, and on paper.

export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --panel: #f6f7f9; --line: #d9dde3; --ink: #1b1f26; --soft: #5a6472;
  --accent: #0b6bcb; --band: #0b6bcb; --good: #17723a; --good-bg: #e4f4e9; --bad: #b3261e; --bad-bg: #fbe9e7;
  --warn: #7a5200; --warn-bg: #fdf1d7; --question: #8a3ab9; --question-bg: #f4e8fb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --panel: #1c2027; --line: #363d48; --ink: #e6e9ee; --soft: #a0a9b6;
    --accent: #6cb2ff; --band: #6cb2ff; --good: #72d492; --good-bg: #15301f; --bad: #ff9a90; --bad-bg: #3a1d1b;
    --warn: #f0c35c; --warn-bg: #352a10; --question: #d6a2f5; --question-bg: #31203d;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main, header, footer { max-width: 68rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 2.5rem; }
footer { padding-bottom: 3rem; color: var(--soft); font-size: .85rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: .1rem 0 .6rem; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 3rem 0 .6rem; padding-top: 1.2rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
p { margin: .4rem 0 .8rem; max-width: 46rem; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem 1rem; }
.eyebrow { color: var(--soft); font-size: .9rem; margin: 0; }
.lead { font-size: 1.15rem; max-width: 50rem; }
.soft { color: var(--soft); }
.small { font-size: .875rem; }
.paper { display: none; }
nav ul { list-style: none; margin: 1.4rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; }
code, pre, .mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
pre {
  margin: .4rem 0; padding: .8rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
  overflow-x: auto; line-height: 1.45; white-space: pre; overflow-wrap: normal; tab-size: 4;
}
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
.badge {
  display: inline-block; padding: 0 .5em; border-radius: 1em; font-size: .8125rem; line-height: 1.6; white-space: nowrap;
  background: var(--panel); border: 1px solid var(--line); color: var(--ink);
}
.badge.good { background: var(--good-bg); color: var(--good); border-color: transparent; }
.badge.bad { background: var(--bad-bg); color: var(--bad); border-color: transparent; }
.badge.warn { background: var(--warn-bg); color: var(--warn); border-color: transparent; }
.badge.question { background: var(--question-bg); color: var(--question); border-color: transparent; }
.notice { border-left: 3px solid var(--warn); background: var(--warn-bg); color: var(--ink); padding: .5rem .9rem; border-radius: 0 6px 6px 0; max-width: 50rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1.4rem 0 0; }
.tiles div { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .7rem .9rem; }
.tiles dt { color: var(--soft); font-size: .8125rem; }
.tiles dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; line-height: 1.3; }
.tiles dd small { display: block; font-size: .8125rem; font-weight: 400; color: var(--soft); }
.scroll { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; overflow-wrap: normal; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; font-size: .8125rem; color: var(--soft); white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.words { min-width: 13rem; overflow-wrap: anywhere; }
td .soft { overflow-wrap: anywhere; }
td .mono { max-width: 22rem; }
tr.best td { background: var(--good-bg); }
tr:target td { outline: 2px solid var(--accent); }
figure { margin: .8rem 0 0; }
figcaption { color: var(--soft); font-size: .875rem; margin-top: .4rem; }
svg { display: block; width: 100%; min-width: 40rem; height: auto; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
svg .frame { fill: var(--panel); }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .one { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 4; }
svg text { fill: var(--soft); }
svg text.name { fill: var(--ink); font-weight: 600; }
svg .band { fill: var(--band); opacity: .16; }
svg .so-far { stroke: var(--accent); stroke-width: 2.5; fill: none; stroke-linejoin: round; }
svg .candidate { fill: var(--soft); opacity: .75; }
svg .whisker { stroke: var(--soft); stroke-width: 1; opacity: .5; }
svg .new-best { fill: var(--accent); stroke: var(--paper); stroke-width: 1.5; }
svg .failed { stroke: var(--bad); stroke-width: 1.6; }
svg .asked { stroke: var(--question); stroke-width: 1; stroke-dasharray: 2 3; opacity: .8; }
svg .mark { fill: var(--question-bg); stroke: var(--question); stroke-width: 1.2; }
svg text.sign { fill: var(--question); font-weight: 700; text-anchor: middle; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; margin: .6rem 0 0; color: var(--soft); font-size: .875rem; }
.legend svg { display: inline-block; width: 22px; min-width: 0; height: 14px; vertical-align: -2px; margin-right: .3rem; }
.line { list-style: none; margin: 1rem 0 1rem .5rem; padding: 0 0 0 1.4rem; border-left: 2px solid var(--line); }
.line > li { position: relative; margin: 0 0 1.5rem; }
.line > li::before {
  content: ""; position: absolute; left: -1.4rem; top: .45rem; width: 12px; height: 12px; border-radius: 50%;
  transform: translateX(-7px); background: var(--paper); border: 2px solid var(--soft);
}
.line > li.won::before { background: var(--good); border-color: var(--good); }
.line .what { font-weight: 600; }
.line .gain { font-size: 1.05rem; font-variant-numeric: tabular-nums; }
.asking { margin: 0 0 .5rem; padding: .5rem .9rem; background: var(--question-bg); border-radius: 6px; max-width: 46rem; }
.asking q { font-style: italic; quotes: none; }
.asking p { margin: .2rem 0 0; }
details { margin: .4rem 0; }
summary { cursor: pointer; padding: .25rem 0; }
summary .badge { margin-left: .3rem; }
.change { border: 1px solid var(--line); border-radius: 8px; padding: .2rem .9rem; }
.change[open] { padding-bottom: .8rem; }
.diff { padding: .5rem 0; }
.diff span { display: block; padding: 0 1rem; min-width: max-content; }
.diff .add { background: var(--good-bg); color: var(--good); }
.diff .del { background: var(--bad-bg); color: var(--bad); }
.diff .hunk, .diff .file { color: var(--soft); }
.diff .file { font-weight: 600; color: var(--ink); }
.talk { list-style: none; padding: 0; margin: 1rem 0; }
.talk > li { border-bottom: 1px solid var(--line); padding: .5rem 0; display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0 1rem; }
.talk .who { color: var(--soft); font-size: .8125rem; padding-top: .2rem; }
.talk p { white-space: pre-wrap; margin: 0; max-width: none; }
.facts { display: grid; grid-template-columns: minmax(8rem, max-content) minmax(0, 1fr); gap: .3rem 1.4rem; margin: .6rem 0; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
@media (max-width: 40rem) {
  html { font-size: 15px; }
  main, header, footer { padding-left: 1rem; padding-right: 1rem; }
  header { padding-top: 1.4rem; }
  h1 { font-size: 1.5rem; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem; }
  .talk > li, .facts { grid-template-columns: minmax(0, 1fr); }
  .facts dd { margin-bottom: .5rem; }
}
@media print {
  :root {
    color-scheme: light;
    --paper: #fff; --panel: #fff; --line: #bbb; --ink: #000; --soft: #444; --accent: #084d92; --band: #084d92;
    --good: #0c5527; --good-bg: #eef7f0; --bad: #8c1d16; --bad-bg: #fbefee; --warn: #5c3d00; --warn-bg: #fff;
    --question: #5f2485; --question-bg: #f8f1fc;
  }
  @page { margin: 16mm 14mm; }
  html { font-size: 10pt; }
  body { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main, header, footer { max-width: none; padding: 0; }
  nav, .skip, .screen { display: none; }
  .paper { display: block; }
  svg { min-width: 0; }
  .legend svg { min-width: 0; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .diff span { min-width: 0; }
  .scroll { overflow: visible; }
  td.words { min-width: 0; }
  h2 { break-after: avoid; margin-top: 1.6rem; }
  figure, .tiles, .line > li, tr { break-inside: avoid; }
  a { color: inherit; text-decoration: none; }
}
`;
