/** The style of the page. It is inline, and the policy names its hash, so the page loads nothing from other servers. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: #2563eb; --good: #15803d; --bad: #b91c1c; }
@media (prefers-color-scheme: dark) { :root { --accent: #60a5fa; --good: #4ade80; --bad: #f87171; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Tahoma, sans-serif; margin: 0 auto; max-width: 40rem; padding: 1rem; }
header { display: flex; gap: 1rem; justify-content: space-between; align-items: baseline; }
h1 { font-size: 1.25rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1rem 0 .5rem; }
section { border-top: 1px solid var(--line); margin-top: 1.5rem; }
p { margin: .5rem 0; }
a { color: var(--accent); }
.status { font-weight: 600; }
.status-active, .status-on_hold { color: var(--good); }
.status-expired, .status-limited, .status-disabled { color: var(--bad); }
.note { background: var(--soft); border-radius: .5rem; padding: .5rem .75rem; }
progress { width: 100%; height: .75rem; accent-color: var(--accent); }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: .5rem 0; }
dt { opacity: .7; }
dd { margin: 0; }
bdi { overflow-wrap: anywhere; }
code { display: block; direction: ltr; text-align: left; overflow-wrap: anywhere; max-height: 5rem; overflow: auto;
  background: var(--soft); border-radius: .5rem; padding: .5rem; font-size: .8rem; user-select: all; }
button, .app { font: inherit; border: 1px solid var(--line); border-radius: .5rem; background: var(--soft); color: inherit;
  padding: .5rem .9rem; min-height: 2.75rem; cursor: pointer; text-decoration: none; display: inline-block; }
.recommended { border-color: var(--accent); }
.row { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0; align-items: center; }
details { flex: 1; }
details[open] { flex-basis: 100%; }
summary { cursor: pointer; padding: .5rem 0; }
canvas { display: block; image-rendering: pixelated; margin: .5rem auto; width: min(100%, 16rem); height: auto; background: #fff; border-radius: .5rem; }
ul { list-style: none; padding: 0; margin: 0; }
li { border-top: 1px solid var(--line); padding: .5rem 0; }
`;
