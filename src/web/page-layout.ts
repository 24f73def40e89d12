import { isLoaded } from "../report/load-report.ts";
import { scriptPath, stylePath, iconPath } from "./assets.ts";
import { html, type Html, type Part } from "./html.ts";
import type { Look } from "./look.ts";
import { counted, foreign, moment, shortRevision } from "./page-parts.ts";

/** A whole document around what is special to a page. */
export function layout({ fleet, daemon, now }: Look, title: string, content: Part): Html {
  const { load } = fleet;
  const problems = load?.problems.length ?? 0;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · zonewarden</title>
        <link rel="icon" type="image/svg+xml" href="${iconPath}" />
        <link rel="stylesheet" href="${stylePath}" />
        <script type="module" src="${scriptPath}"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="bar">
          <a class="brand" href="/"
            ><img src="${iconPath}" alt="" width="20" height="20" />zonewarden</a
          >
          <nav aria-label="Pages">
            <a href="/">Fleet</a
            ><a href="/problems"
              >Problems${problems === 0 ? undefined : html` <span class="count">${problems}</span>`}</a
            >
          </nav>
          <p class="facts">
            <span class="mode ${daemon.mode}">${daemon.mode}</span>${
              load === undefined
                ? html`<span>no desired state yet</span>`
                : html`<span
                    >revision
                    <code title="${load.revision}">${shortRevision(load.revision)}</code></span
                  >`
            }<span>v${daemon.version}</span>
          </p>
        </header>
        <main id="main">
          ${fileBanner(fleet.loadedAt, now, load !== undefined && !isLoaded(load), problems)}${content}
        </main>
        <footer class="foot">
          <p>
            As of
            <time datetime="${minuteOf(now)}"
              >${minuteOf(now).replace("T", " ").replace("Z", " UTC")}</time
            >, up since ${moment(daemon.startedAt, now)}.
          </p>
          <p>
            <a href="/metrics">Metrics</a> <a href="/api/v1/fleet">JSON</a>
            <a href="/readyz?verbose">Health</a>
          </p>
        </footer>
      </body>
    </html> `;
}

function fileBanner(
  loadedAt: Date | undefined,
  now: Date,
  broken: boolean,
  problems: number,
): Html | undefined {
  if (!broken) return undefined;
  return html`<p class="banner bad" role="status">
    <strong>The files are not in order.</strong>
    <a href="/problems">${counted(problems, "problem")}</a>; what is broken keeps its last good
    state${loadedAt === undefined ? undefined : html` (all was well ${moment(loadedAt, now)})`}.
  </p> `;
}

/** A page stays the same for a minute, and its ETag with it. */
function minuteOf(now: Date): string {
  return `${now.toISOString().slice(0, 16)}Z`;
}

/** The way back to the fleet, above a page of something in it. */
export function breadcrumb(here: string): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumb">
    <a href="/">Fleet</a> <span aria-hidden="true">/</span>
    <span aria-current="page">${foreign(here)}</span>
  </nav>`;
}
