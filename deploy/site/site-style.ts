import { palette } from "../../src/web/pages/palette.ts";

/** The style of the site: one column on a narrow screen with the list of pages below, two on a wide one. */
export const siteStyle = `${palette}* { box-sizing: border-box; }
html { scroll-padding-top: 16px; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
a { color: var(--link); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -999px; top: 0; padding: 8px 12px; background: var(--card); z-index: 1; }
.skip:focus { left: 0; }
.bar { display: flex; align-items: center; justify-content: space-between; padding: 10px 24px; background: var(--card); border-bottom: 1px solid var(--line); }
.brand { display: flex; align-items: center; gap: 8px; font-weight: 650; color: var(--text); text-decoration: none; }
.columns { display: grid; grid-template: "pages content" / 240px minmax(0, 1fr); gap: 40px; max-width: 1240px; margin: 0 auto; padding: 24px; }
main { grid-area: content; max-width: 900px; min-width: 0; overflow-wrap: break-word; }
.pages { grid-area: pages; font-size: 14.5px; }
.pages h2 { margin: 0 0 6px; padding: 0; border: 0; font-size: 13px; color: var(--quiet); }
.pages ul { list-style: none; margin: 0 0 20px; padding: 0; }
.pages a { display: block; padding: 4px 10px; border-radius: 6px; color: var(--text); text-decoration: none; }
.pages a:hover { background: var(--raised); }
.pages a[aria-current] { background: var(--tint-info); color: var(--link); font-weight: 600; }
.to-pages { display: none; }
.sections { margin: 0 0 24px; padding: 8px 14px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); font-size: 14.5px; }
.sections summary { cursor: pointer; }
.sections ul { margin: 8px 0 4px; }
h1 { margin: 0 0 16px; font-size: 30px; line-height: 1.25; }
h2 { margin: 40px 0 12px; padding-top: 16px; border-top: 1px solid var(--line); font-size: 22px; line-height: 1.3; }
h3 { margin: 28px 0 8px; font-size: 18px; line-height: 1.35; }
h4 { margin: 20px 0 8px; font-size: 16px; }
.anchor { color: var(--quiet); font-weight: 400; text-decoration: none; opacity: 0.6; }
.anchor:hover, .anchor:focus { opacity: 1; }
p, ul, ol, pre, .scroll, blockquote { margin: 0 0 16px; }
ul, ol { padding-left: 24px; }
li + li { margin-top: 4px; }
li > p:last-child, li > ul, li > pre:last-child { margin-bottom: 4px; }
code, pre { font: 13.5px/1.55 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { padding: 1px 4px; border-radius: 4px; background: var(--raised); overflow-wrap: anywhere; }
pre { padding: 12px 16px; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
pre code { padding: 0; background: none; overflow-wrap: normal; }
blockquote { padding-left: 16px; border-left: 3px solid var(--line); color: var(--quiet); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
table { width: 100%; border-collapse: collapse; font-size: 14.5px; line-height: 1.5; }
th, td { min-width: 110px; padding: 7px 12px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
th { background: var(--raised); font-weight: 600; }
td code { overflow-wrap: break-word; }
img { display: block; max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; }
.brand img { border: 0; }
@media (max-width: 900px) {
  .bar { padding: 10px 16px; }
  .to-pages { display: inline; }
  .columns { grid-template: "content" "pages" / minmax(0, 1fr); padding: 16px; }
  h1 { font-size: 25px; overflow-wrap: anywhere; }
  h2 { font-size: 20px; }
  th, td { min-width: 150px; }
  td code { overflow-wrap: anywhere; }
}
@media print {
  .bar, .pages, .sections, .anchor, .skip { display: none; }
  .columns { display: block; }
  .scroll, pre { overflow: visible; }
  pre { white-space: pre-wrap; }
}
`;
