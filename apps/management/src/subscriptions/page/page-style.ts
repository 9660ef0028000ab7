/** The style of the page. It is inline, and the policy names its hash, so the page loads nothing from other servers. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --bg: #f3f6f8; --card: #fff; --ink: #15212b; --soft: #55636f; --line: #dbe2e8; --fill: #eef2f5;
  --accent: #0b7285; --on: #fff; --good: #1a7340; --warn: #8f5400; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --bg: #0e1418; --card: #182128; --ink: #e9eef2; --soft: #a6b3be; --line: #2d3a44;
  --fill: #222d35; --accent: #66c0cf; --on: #04252b; --good: #62d08c; --warn: #f0b45c; --bad: #ff8f80; } }
* { box-sizing: border-box; }
html { background: var(--bg); -webkit-text-size-adjust: 100%; }
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Vazirmatn, Tahoma, sans-serif; color: var(--ink);
  margin: 0 auto; max-width: 70rem; padding: 1rem; }
header, .row, .chips, .peak, .axis, summary { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
header { gap: .75rem; margin-bottom: 1rem; flex-wrap: nowrap; }
header > h1 { flex: 1; }
.logo { width: 2.75rem; height: 2.75rem; flex: none; border-radius: .75rem; object-fit: contain; }
span.logo { background: var(--accent); color: var(--on); font: 700 1.35rem/2.75rem system-ui; text-align: center; }
h1 { font-size: 1.2rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; min-width: 0; }
h2 { font-size: 1.05rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 0 0 .5rem; line-height: 1.75rem; }
p { margin: .5rem 0; }
a { color: var(--accent); }
small { font-size: .85rem; color: var(--soft); font-weight: 400; }
ul, ol { list-style: none; padding: 0; margin: 0; }
bdi { overflow-wrap: anywhere; }
main, main > div { display: grid; gap: 1rem; min-width: 0; align-content: start; }
@media (min-width: 60rem) { body { padding: 1.5rem; } main { grid-template-columns: 7fr 5fr; } }
section { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1.1rem; min-width: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.quiet, .axis, dt { color: var(--soft); font-size: .875rem; }
.menu { position: relative; }
.menu ul { position: absolute; inset-inline-end: 0; z-index: 1; min-width: 9rem; background: var(--card); padding: .35rem;
  border: 1px solid var(--line); border-radius: .75rem; box-shadow: 0 8px 24px #0003; }
.menu a { display: block; padding: .5rem .75rem; border-radius: .5rem; text-decoration: none; color: inherit; }
.menu a:hover, .menu [aria-current] { background: var(--fill); }
.who { margin: 0 0 1rem; justify-content: space-between; font-weight: 600; }
.status { padding: .15rem .7rem; border-radius: 1rem; border: 1px solid; font-size: .875rem; white-space: nowrap; }
.status-active { color: var(--good); }
.status-on_hold { color: var(--warn); }
.status-expired, .status-limited, .status-disabled { color: var(--bad); }
.note, .notice { border-inline-start: 4px solid var(--accent); background: var(--fill); border-radius: .5rem; padding: .6rem .9rem;
  margin: 0 0 1rem; overflow-wrap: anywhere; }
.note { grid-column: 1 / -1; margin: 0; }
.notice { border-color: var(--bad); }
.notice.on_hold { border-color: var(--warn); }
.figures { display: flex; gap: 1.25rem; align-items: center; }
.ring { position: relative; flex: 0 0 7.5rem; }
.ring svg { display: block; transform: rotate(-90deg); }
[dir=rtl] .ring svg { transform: rotate(-90deg) scaleY(-1); }
.ring circle { fill: none; stroke: var(--line); stroke-width: 3; stroke-linecap: round; }
.ring .good { stroke: var(--accent); }
.ring .warn { stroke: var(--warn); }
.ring .bad { stroke: var(--bad); }
.ring b { position: absolute; inset: 0; display: grid; place-items: center; font-size: 1.5rem; }
dl { margin: 0; display: grid; gap: .6rem; min-width: 0; }
dd { margin: 0; font-weight: 600; font-size: 1.05rem; line-height: 1.35; }
dd small { display: inline-block; }
@media (min-width: 30rem) { .ring { flex-basis: 9rem; } }
.chips { margin-bottom: 1.1rem; }
.chips a, .button { border: 1px solid var(--line); border-radius: .75rem; background: var(--fill); color: inherit; text-decoration: none; }
.chips a { padding: .45rem .85rem; border-radius: 2rem; font-size: .9rem; }
.chips [aria-current] { background: var(--accent); border-color: var(--accent); color: var(--on); font-weight: 600; }
.button { font: inherit; font-weight: 600; padding: .6rem 1rem; min-height: 2.75rem; cursor: pointer; display: inline-block; }
.button:hover, .chips a:hover { border-color: var(--accent); }
.main { display: block; text-align: center; background: var(--accent); border-color: var(--accent); color: var(--on); font-size: 1.1rem; padding: .8rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.steps { counter-reset: step; }
.steps li { counter-increment: step; position: relative; padding-inline-start: 2.6rem; padding-bottom: 1.1rem; }
.steps li::before { content: counter(step); position: absolute; inset-inline-start: 0; width: 1.75rem; height: 1.75rem; border-radius: 50%;
  background: var(--fill); border: 1px solid var(--line); font-weight: 700; line-height: 1.65rem; text-align: center; }
[lang=fa] .steps li::before { content: counter(step, persian); }
.steps li:not(:last-child)::after { content: ""; position: absolute; inset-inline-start: .85rem; top: 2.1rem; bottom: .35rem; border-inline-start: 1px solid var(--line); }
.tag { border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .5rem; margin-inline-start: .35rem; font-size: .8rem; }
summary { cursor: pointer; padding: .65rem 0; font-weight: 600; list-style: none; justify-content: space-between; flex-wrap: nowrap; }
summary::-webkit-details-marker { display: none; }
summary::after { content: ""; flex: none; width: .5rem; height: .5rem; border: solid var(--soft); border-width: 0 2px 2px 0; transform: rotate(45deg); }
[open] > summary::after { transform: rotate(225deg); }
summary bdi { min-width: 0; flex: 1; }
.more li, .servers li { border-top: 1px solid var(--line); }
.more li { padding: .75rem 0; }
.more .row { margin-top: .5rem; }
.servers li:first-child { border: 0; }
.state { font-size: .85rem; white-space: nowrap; color: var(--soft); }
.state::before { content: ""; display: inline-block; width: .55rem; height: .55rem; border-radius: 50%; margin-inline-end: .4rem; background: var(--good); }
.partly::before { background: var(--warn); }
.fails::before { background: var(--bad); }
.state.fails { color: var(--bad); }
code { display: block; direction: ltr; text-align: left; overflow-wrap: anywhere; max-height: 6rem; overflow: auto; background: var(--fill);
  border-radius: .6rem; padding: .7rem; margin: .25rem 0 .6rem; font: .8rem/1.5 ui-monospace, Menlo, Consolas, monospace; user-select: all; -webkit-user-select: all; }
canvas, .code { display: block; margin: .75rem auto; width: min(100%, 16rem); height: auto; background: #fff; border-radius: .75rem; image-rendering: pixelated; }
html:not(.js) [data-copy], html:not(.js) canvas { display: none; }
.code path { stroke: #000; }
.peak { justify-content: space-between; margin: 0 0 .5rem; font-size: .9rem; }
.chart { display: block; width: 100%; height: 6rem; }
.chart rect { width: 7px; rx: 1.5px; fill: var(--accent); }
.chart .none { fill: var(--line); }
[dir=rtl] .chart { transform: scaleX(-1); }
.axis { justify-content: space-between; margin: .35rem 0 0; }
footer { text-align: center; margin: 1.25rem 0 .5rem; }
footer a, .notice a { font-weight: 600; }
footer a { display: inline-block; padding: .75rem 1rem; }
`;
