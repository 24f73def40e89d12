import { palette } from "./palette.ts";

/** The style of all pages: the system's fonts, light or dark as the reader's system is, nothing from elsewhere. */
export const style = `${palette}* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; }
a { color: var(--link); text-decoration: none; }
a:hover, main p a, .crumbs a { text-decoration: underline; text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code, pre { font: 12.5px/1.5 var(--mono); }
pre { margin: 0; }
h1 { font-size: 22px; line-height: 1.25; margin: 0 0 16px; display: flex; flex-wrap: wrap; gap: 6px 12px; align-items: center; overflow-wrap: anywhere; }
h2 { font-size: 14px; margin: 0 0 10px; }
h3 { font-size: 13px; margin: 0; }
small { font-weight: 400; font-size: 13px; color: var(--quiet); }
p { margin: 0 0 8px; }
ul, ol { margin: 0; padding-left: 18px; }
.plain, .recent, .diagnostics, .tabs { list-style: none; padding: 0; }
.quiet, .lead, dt { color: var(--quiet); }
.good, .sign.create, .effect.strengthens { color: var(--good); }
.error, .banner strong, .card.error .severity, .sign.delete, .effect.weakens { color: var(--bad); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; top: 0; padding: 8px 12px; background: var(--card); z-index: 1; }
.skip:focus { left: 0; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 24px; padding: 10px 24px; background: var(--card); border-bottom: 1px solid var(--line); }
.brand { display: flex; align-items: center; gap: 8px; font-weight: 650; font-size: 15px; color: var(--text); }
.bar nav { display: flex; gap: 16px; }
.bar .facts { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; margin: 0 0 0 auto; color: var(--quiet); font-size: 13px; }
.mode { padding: 1px 8px; border-radius: 10px; font-weight: 600; color: var(--good); background: var(--tint-good); }
.mode.observe { color: var(--info); background: var(--tint-info); }
.count { padding: 0 6px; border-radius: 9px; background: var(--tint-bad); color: var(--bad); font-size: 12px; font-weight: 600; }
main { max-width: 1440px; margin: 0 auto; padding: 20px 24px 32px; }
.foot { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 4px 24px; max-width: 1440px; margin: 0 auto; padding: 0 24px 24px; color: var(--quiet); font-size: 13px; }
.foot a { margin-right: 12px; }
.crumbs { font-size: 13px; margin-bottom: 8px; color: var(--quiet); }
.banner { padding: 10px 14px; margin: 0 0 16px; border: 1px solid; border-radius: 8px; background: var(--tint-bad); border-color: color-mix(in srgb, var(--bad) 35%, transparent); }
.overview { margin-bottom: 20px; }
.share { display: block; width: 100%; height: 8px; border-radius: 4px; background: var(--line); margin-bottom: 12px; }
.tabs { display: flex; flex-wrap: wrap; gap: 8px; }
.tabs a { display: block; padding: 6px 14px 7px; min-width: 92px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; color: var(--quiet); }
.tabs a:hover { border-color: var(--quiet); text-decoration: none; }
.tabs a[aria-current="true"] { border-color: var(--link); box-shadow: inset 0 0 0 1px var(--link); color: var(--text); }
.tabs b { display: block; font-size: 19px; line-height: 1.25; color: var(--text); }
.dot { display: inline-block; width: 8px; height: 8px; border-radius: 50%; margin-right: 5px; background: var(--tone); }
.in_sync { --tone: var(--good); --tint: var(--tint-good); }
.drifted, .error, .malicious, .failing { --tone: var(--bad); --tint: var(--tint-bad); }
.pending,
.differs { --tone: var(--info); --tint: var(--tint-info); }
.held, .outside { --tone: var(--warn); --tint: var(--tint-warn); }
.suspended { --tone: var(--hold); --tint: var(--tint-hold); }
.unknown, .unread { --tone: var(--quiet); --tint: var(--raised); }
.none { --tone: var(--line); }
rect { fill: var(--tone); }
rect.day { fill: var(--card); opacity: 0.6; }
.timeline.card { border-left: 1px solid var(--line); }
.spans { display: block; width: 100%; height: 28px; border-radius: 4px; }
.spans .in_sync { fill: color-mix(in srgb, var(--good) 45%, var(--card)); }
.axis { display: flex; justify-content: space-between; margin: 2px 0 6px; font-size: 12px; }
.axis span span { margin: 0 4px; }
.card.counts { border-left: 1px solid var(--line); }
.counts li p { margin: 0; }
.counts > p:first-child { margin-bottom: 12px; }
.counts li { display: grid; grid-template-columns: minmax(0, 19rem) minmax(0, 1fr); gap: 2px 16px; align-items: center; padding: 8px 0; border-top: 1px solid var(--line); }
.counts li:first-child { border: 0; padding-top: 0; }
.counts .axis { margin-left: calc(19rem + 16px); }
.ladder { display: flex; flex-wrap: wrap; gap: 4px; list-style: none; padding: 0; font-size: 12.5px; color: var(--quiet); }
.ladder li { padding: 0; border: 0; display: block; }
.ladder li + li::before { content: "→ "; }
.ladder [aria-current] { font-weight: 600; color: var(--text); }
.counts .share { margin-bottom: 6px; }
.hours { display: block; width: 100%; height: 40px; }
.hours path { vector-effect: non-scaling-stroke; }
.hours .days { stroke: var(--line); }
.hours .measured, .hours .sampled { fill: var(--info); }
.hours .no_traffic { fill: var(--quiet); }
.hours .refused { fill: var(--tint-warn); stroke: var(--warn); }
.hours .failed { fill: var(--tint-bad); stroke: var(--bad); }
.hours .missing { fill: var(--raised); stroke: var(--quiet); stroke-dasharray: 2 3; }
.hours .undeclared { stroke: var(--quiet); stroke-dasharray: 2 4; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; font-size: 12px; }
.legend span { display: flex; align-items: center; gap: 6px; }
.legend .hours { width: 22px; height: 14px; }
.figures { margin-top: 8px; font-size: 13px; }
.figures th, .figures td { padding: 5px 8px; }
.figures th:first-child { width: 20%; }
summary { cursor: pointer; }
.timeline .recent { margin-top: 8px; font-size: 13px; }
.status { display: inline-block; padding: 1px 9px; border-radius: 10px; font-size: 12.5px; font-weight: 600; white-space: nowrap; color: var(--tone); background: var(--tint); }
.status.error { color: light-dark(#fff, #1b0b0c); background: var(--bad); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 348px; gap: 20px; align-items: start; }
.columns > div:first-child > section { margin-bottom: 20px; }
.panel, .zones, .card, .change, .record, .seen, .empty { background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.panel { padding: 14px 16px; margin-bottom: 16px; font-size: 13px; }
.panel p:last-child { margin: 0; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 3px 14px; margin: 0 0 4px; }
dd { margin: 0; overflow-wrap: anywhere; }
.toolbar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 8px; padding: 10px 16px; }
.toolbar h2 { margin: 0; }
form { display: flex; flex-wrap: wrap; gap: 6px; }
select { max-width: 220px; text-overflow: ellipsis; }
input[type="search"], input[type="password"], select, button { font: inherit; padding: 4px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--back); color: var(--text); }
input[type="search"] { flex: 1 1 150px; min-width: 0; max-width: 220px; }
.ask input[type="password"] { flex: 1; min-width: 0; }
button { background: var(--raised); cursor: pointer; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 7px 16px; border-top: 1px solid var(--line); }
thead th { padding: 5px 16px; font-size: 12px; font-weight: 500; color: var(--quiet); background: var(--raised); }
tbody th { font-weight: 500; overflow-wrap: anywhere; }
tbody tr:hover { background: var(--raised); }
.zones td { white-space: nowrap; }
.note { display: block; font-weight: 400; font-size: 12.5px; color: var(--quiet); overflow-wrap: anywhere; }
.impact { display: inline-block; padding: 0 7px; border-radius: 4px; font-size: 12.5px; color: var(--quiet); background: var(--raised); }
.label { display: inline-block; padding: 0 6px; border: 1px solid var(--line); border-radius: 4px; font-weight: 400; font-size: 12px; color: var(--quiet); }
.impact.weakens { color: var(--bad); background: var(--tint-bad); font-weight: 600; }
.impact.pending { color: var(--info); background: var(--tint-info); }
.causes .plain > li { padding: 8px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.causes .plain > li:first-child { border: 0; padding-top: 0; }
.causes code { white-space: normal; }
.effect.failed { color: var(--bad); }
.effect.held { color: var(--warn); }
.steps li + li { margin-top: 8px; }
.command { display: block; padding: 3px 8px; border-radius: 4px; background: var(--raised); overflow-wrap: anywhere; user-select: all; }
.empty { padding: 16px; color: var(--quiet); }
.zones .empty { border: 0; border-top: 1px solid var(--line); border-radius: 0; margin: 0; }
.pager { display: flex; justify-content: space-between; padding: 10px 16px; border-top: 1px solid var(--line); }
.recent li { padding: 6px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.recent li:first-child { border: 0; padding-top: 0; }
.recent time { float: right; margin-left: 8px; color: var(--quiet); }
.credential + .credential { border-top: 1px solid var(--line); margin-top: 8px; padding-top: 8px; }
.credential p { margin: 0 0 2px; }
meter { width: 100%; height: 10px; }
.card { padding: 12px 16px; margin-bottom: 16px; border-left: 3px solid var(--quiet); overflow-wrap: anywhere; }
.card p:last-child { margin: 0; }
.card.error { border-left-color: var(--bad); color: inherit; }
.card.warning { border-left-color: var(--warn); }
.severity { font-size: 12px; font-weight: 600; color: var(--warn); }
.diagnostics .card { margin-bottom: 10px; }
.change { margin-bottom: 10px; border-left: 3px solid var(--line); overflow: hidden; }
.change.strengthens { border-left-color: var(--good); }
.change.weakens { border-left-color: var(--bad); }
.change.unclear { border-left-color: var(--warn); }
.change header { display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: baseline; padding: 8px 14px; }
.change .title { color: var(--quiet); overflow-wrap: anywhere; }
.badges { margin-left: auto; }
.sign { display: inline-block; width: 1em; font: 600 14px var(--mono); text-align: center; color: var(--warn); }
.effect { font-size: 12.5px; font-weight: 600; color: var(--quiet); white-space: nowrap; margin-left: 6px; }
.effect.unclear, .effect.breaks { color: var(--warn); }
.reasons { padding: 0 14px 8px 32px; color: var(--quiet); font-size: 13px; overflow-wrap: anywhere; }
.authors { margin: 0; padding: 0 14px 8px; font-size: 13px; overflow-wrap: anywhere; }
.fields { table-layout: fixed; }
.fields th, .fields td { padding: 5px 14px; }
.fields th:first-child { width: 24%; overflow-wrap: anywhere; }
.fields tbody th { font: 12.5px/1.5 var(--mono); color: var(--quiet); }
.fields tbody tr:hover { background: none; }
.value { unicode-bidi: isolate; white-space: pre-wrap; overflow-wrap: anywhere; }
del { color: var(--bad); background: var(--tint-bad); text-decoration-thickness: 1px; border-radius: 2px; }
ins { color: var(--good); background: var(--tint-good); text-decoration: none; border-radius: 2px; }
.record { padding: 8px 14px; margin-bottom: 10px; overflow-wrap: anywhere; }
.record[open] summary { margin-bottom: 8px; }
.record time { display: inline-block; min-width: 76px; color: var(--quiet); }
.writes { font-size: 13px; }
.seen { overflow: hidden; }
.seen thead th { border-top: 0; }
.seen th { white-space: nowrap; }
.writes li { overflow-wrap: anywhere; }
.seen > h3, .seen > p, .seen > ul, .seen > details { margin: 0; padding: 0 16px; }
.seen > h3, .seen > details { border-top: 1px solid var(--line); padding-top: 10px; padding-bottom: 4px; }
.seen > details { padding-bottom: 10px; }
.seen > ul, .seen > p { padding-bottom: 8px; }
.items li { padding: 4px 0; }
@media (max-width: 1000px) {
  .columns { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 640px) {
  .counts li { grid-template-columns: minmax(0, 1fr); }
  .counts .axis { margin-left: 0; }
  .figures .note { display: inline; }
  .bar, main, .foot { padding-left: 14px; padding-right: 14px; }
  .bar .facts { margin: 0; }
  .tabs a { min-width: 0; padding: 4px 10px 5px; }
  .tabs b { font-size: 16px; }
  form { flex: 1 1 260px; min-width: 0; }
  input[type="search"] { max-width: none; }
  select { flex: 1 1 130px; min-width: 0; max-width: 100%; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody { display: block; }
  tr { display: flex; flex-wrap: wrap; gap: 2px 10px; padding: 8px 14px; border-top: 1px solid var(--line); }
  .zones th, .zones td, .fields th, .fields td, .seen th, .seen td, .figures th, .figures td { display: block; border: 0; padding: 0; }
  .seen th, .figures th:first-child, .figures td { width: 100%; }
  .zones th { flex: 1 0 60%; }
  .zones td, .fields th:first-child, .fields td { white-space: normal; }
  .fields th:first-child, .fields td { width: 100%; }
  td:not(:has(.status, .impact))::before { content: attr(data-label) " "; color: var(--quiet); font-size: 12px; text-transform: lowercase; }
  .badges { margin-left: 0; }
}
@media print { .bar nav, form, .pager { display: none; } }
`;
