import { html, type Html, type Part } from "../../render/html.ts";
import type { ClusterStatus } from "../../state/daemon-status.ts";
import { isFirstRound, isLoaded, type RolloutStatus } from "../../state/load-report.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import { firstOf } from "../../syntax/first-of.ts";
import { sum } from "../../syntax/sum.ts";
import { isError } from "../../zone/diagnostic.ts";
import { isLoadFailure } from "../../zone/internal-error.ts";
import type { Snapshot } from "../snapshot.ts";
import { iconPath, scriptPath, stylePath } from "./assets.ts";
import {
  banner,
  commitCode,
  counted,
  foreign,
  moment,
  number,
  revisionCode,
} from "./page-parts.ts";

/** The document around the content of a page. */
export function layout(snapshot: Snapshot, title: string, content: Part): Html {
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
        ${topBar(snapshot)}
        <main id="main">${banners(snapshot)} ${stateBanner(snapshot)} ${content}</main>
        ${foot(snapshot)}
      </body>
    </html> `;
}

/** The link back to the fleet. */
export function breadcrumb(here: string): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumb">
    <a href="/">Fleet</a> <span aria-hidden="true">/</span>
    <span aria-current="page">${foreign(here)}</span>
  </nav>`;
}

function topBar({ fleet: { load }, daemon: { mode, version } }: Snapshot): Html {
  // Entries of the diagnostics page: diagnostics and the held revision.
  const entries = (load?.diagnostics.length ?? 0) + Number(load?.held !== undefined);
  return html`<header class="bar">
    <a class="brand" href="/"><img src="${iconPath}" alt="" width="20" height="20" />zonewarden</a>
    <nav aria-label="Pages">
      <a href="/">Fleet</a>
      <a href="/diagnostics"
        >Diagnostics${entries > 0 && html` <span class="count">${entries}</span>`}</a
      >
    </nav>
    <p class="facts">
      <span class="mode ${mode}">${mode}</span>
      ${
        load === undefined || load.revision === ""
          ? html`<span>no active revision</span>`
          : html`<span>revision ${revisionCode(load.revision)}${commitCode(load.commit)}</span>`
      }
      <span>v${version}</span>
    </p>
  </header>`;
}

/** A process that waits for the Lease has loaded no files. */
function banners(snapshot: Snapshot): Html | undefined {
  const { cluster } = snapshot.daemon;
  return (cluster && clusterBanner(cluster)) ?? loadBanner(snapshot) ?? rolloutBanner(snapshot);
}

/** Another process works, or this one cannot begin; `undefined`: there is nothing to say. */
function clusterBanner(cluster: ClusterStatus): Html | undefined {
  const { lease, identity, isHeld, holder, page, works, failure } = cluster;
  const why = failure !== undefined && html` The last request about the Lease failed: ${failure}.`;
  if (works && failure === undefined) return undefined;
  if (works || isHeld) {
    const what = works ? "works" : "waits for the state, which it cannot read yet";
    return banner(`This process holds the Lease ${lease}, and ${what}.`, why);
  }
  const who = page === "" ? foreign(holder) : html`<a href="${page}">${foreign(holder)}</a>`;
  return banner(
    holder === "" ? `Nobody holds the Lease ${lease}.` : html`${who} holds the Lease ${lease}.`,
    html`This process, ${identity}, waits for
    it.${holder !== "" && html` The pages of the holder show what is now.`}${why}`,
  );
}

/** The daemon forgets, or has forgotten. */
function stateBanner({ daemon: { state, workingSince } }: Snapshot): Html | undefined {
  if (state.status === "failing" && workingSince === undefined) {
    return banner(
      "The store cannot be opened.",
      "Nothing is reconciled until it can. The log names the error.",
    );
  }
  if (state.status === "failing") {
    return banner(
      "The store cannot be written.",
      "After a restart, zonewarden does not know what it applied, or the history lacks lines. Releases by hash are not used while the state cannot be written. The log names the error.",
    );
  }
  if (state.lost === undefined) return undefined;
  return banner(
    `The state could not be used at the start: it is ${state.lost}.`,
    "What was held, released or drifting before is not known. The log names the file.",
  );
}

/** What the last load of the files left out, and what stays active. */
function loadBanner({ fleet, now }: Snapshot): Html | undefined {
  const { load, loadedAt, zones } = fleet;
  if (load === undefined || isLoaded(load)) return undefined;
  const { result, held, diagnostics, revision: inForce } = load;
  const kept =
    inForce === ""
      ? html`No revision is active, and nothing is written.`
      : html`${revisionCode(inForce)} stays active.`;
  const errors = diagnostics.filter(isError).length;
  const found = errors > 0 && html`<a href="/diagnostics">${counted(errors, "error")}</a>. `;
  const since = loadedAt !== undefined && html`Last load without errors: ${moment(loadedAt, now)}.`;
  const why = html`<a href="/diagnostics">Why, and what to do</a>`;
  if (held !== undefined && isFirstRound(load)) {
    return banner(
      "Nothing is written.",
      html`What was applied before is not known, and the files would change
      ${counted(held.zones, "zone")}. ${found}${why}`,
    );
  }
  if (held !== undefined) {
    return banner(
      "A new revision of the files is held.",
      html`${revisionCode(held.revision)}${commitCode(held.commit)} would change or drop
      ${counted(held.zones, "zone")} and is not followed; ${kept} ${matchText(zones)} ${found}
      ${why}`,
    );
  }
  if (result === "partial") {
    return banner(
      "The files are partially applied.",
      html`${found}What has errors keeps its last good version, or is left out where it has none.
      ${since}`,
    );
  }
  const what = diagnostics.some(isLoadFailure)
    ? "The zone files are not followed."
    : "The files are rejected.";
  return banner(what, html`${found}${kept} ${since}`);
}

/** The waves in which the active revision reaches the zones. */
function rolloutBanner({ fleet: { load }, now }: Snapshot): Html | undefined {
  if (load?.rollout === undefined) return undefined;
  const { wave, unsettled, waiting, gate } = load.rollout;
  const zones = sum(waiting.values());
  const delaying = unsettled.length > 0 ? unsettled : (gate?.zones ?? []).map(({ zone }) => zone);
  const next = nextWave(load.rollout, delaying, now);
  const gated = gate?.zones.map(({ zone, why }) => `${zone}: ${why}`).slice(0, 3) ?? [];
  const shut = gated.length === 0 ? "" : html` The gate is not kept: ${foreign(gated.join("; "))}.`;
  return banner(
    html`Wave ${number(wave)} of ${number(load.rollout.waves)} has begun.`,
    html`${revisionCode(load.revision)}${commitCode(load.commit)} waits in
    ${counted(zones, "zone")}. ${next}${shut}`,
  );
}

/** When the next wave begins, or what it waits for. */
function nextWave(
  { state, wave, waves, nextAt }: RolloutStatus,
  delaying: readonly string[],
  now: Date,
): Html | false {
  if (state !== "running") return html`The rollout is ${state}.`;
  if (wave >= waves) return false;
  return nextAt === undefined
    ? html`The next one waits for ${foreign(firstOf(delaying, 3))}.`
    : html`The next one begins ${moment(nextAt, now)}.`;
}

/** How many zones are as the revision in force declares them, while another one is held. */
function matchText(zones: readonly ZoneState[]): string {
  const read = zones.filter(
    ({ lastRun, failure }) => lastRun !== undefined && failure === undefined,
  );
  const matching = read.filter(({ differing }) => differing.length === 0).length;
  return `${number(matching)} of ${counted(zones.length, "zone")} match it.`;
}

function foot({ daemon, now }: Snapshot): Html {
  // To the minute, so that a page and its ETag stay the same for one.
  const minute = now.toISOString().slice(0, 16);
  return html`<footer class="foot">
    <p>
      As of <time datetime="${minute}Z">${minute.replace("T", " ")} UTC</time>, started
      ${moment(daemon.startedAt, now)}.
    </p>
    <p>
      <a href="/metrics">Metrics</a> <a href="/api/v1/fleet">JSON</a>
      <a href="/readyz?verbose">Health</a>
    </p>
  </footer>`;
}

export function renderNotFoundPage(snapshot: Snapshot, path: string): Html {
  const zone =
    snapshot.daemon.workingSince === undefined
      ? "a zone that this process does not know: it waits for the Lease or for its store."
      : "the zone is not declared.";
  return layout(
    snapshot,
    "Not found",
    html`<h1>Not found</h1>
      <p>
        <code>${foreign(path)}</code> is not a page, or ${zone}
        <a href="/">All zones</a>
      </p>`,
  );
}
