import { authorName } from "../../plan/cause/author.ts";
import { causesIn } from "../../plan/cause/cause.ts";
import { html, type Html, type Part } from "../../render/html.ts";
import {
  type AuditFeedStatus,
  auditFeedStates,
  type JudgedTokenUse,
} from "../../state/audit-status.ts";
import { collectorRemedies, type CollectorStatus } from "../../state/collector-status.ts";
import type { CredentialStatus, DaemonStatus } from "../../state/daemon-status.ts";
import { type RemovedZone, removedShownMs } from "../../state/fleet.ts";
import { findingKinds } from "../../state/scripts/script-watch.ts";
import type { ChangeRecord, ZoneState } from "../../state/zone-state.ts";
import { byText } from "../../syntax/by-text.ts";
import type { Snapshot } from "../snapshot.ts";
import {
  causeText,
  counted,
  facts,
  foreign,
  moment,
  number,
  panel,
  renderReconcile,
  shortList,
  undoneBadge,
  weakenedBadge,
  zoneLink,
} from "./page-parts.ts";
import { authorsOf } from "./selection.ts";

/** Latest changes, schedule, queue and credentials. */
export function renderSidePanels({ fleet, daemon, now, canReconcile }: Snapshot): Html {
  const { audit, measurements, credentials } = daemon;
  return html`<div class="side">
    ${panel("recent", "Latest changes", recentChanges(fleet.recent, now))}
    ${findingPanel(fleet.zones)}${removedPanel(fleet.removedSince(new Date(Number(now) - removedShownMs)), now)}
    ${panel("schedule", "Schedule", schedule(daemon, now))} ${canReconcile && renderReconcile("")}
    ${authorPanel(fleet.zones, now)} ${audit && panel("audit", "Audit log", auditState(audit, now))}
    ${measurements && measurements.state !== "off" && panel("measured", "Measurements", collectorText(measurements))}
    ${panel("credentials", "Credentials", credentialList(credentials, now))}
  </div>`;
}

function removedPanel(removed: readonly RemovedZone[], now: Date): Html | undefined {
  if (removed.length === 0) return undefined;
  return panel("removed", "No longer managed", [
    html`<p class="quiet">Left as they were.</p>`,
    shortList(removed, ({ zone, at }) => [zone, " ", moment(at, now)]),
  ]);
}

/** The zones whose scripts have open findings, the gravest first; nothing if there are none. */
function findingPanel(zones: readonly ZoneState[]): Html | undefined {
  const found = zones.flatMap(({ declared, scripts }) => {
    if (scripts === undefined) return [];
    const open = scripts.findings.filter(({ acceptance }) => acceptance === undefined);
    const [worst] = open;
    if (worst === undefined) return [];
    const count = open.length + scripts.moreFindings;
    return [{ zone: declared.name, worst: worst.kind, count }];
  });
  if (found.length === 0) return undefined;
  const shown = found.toSorted(
    (a, b) => findingKinds.indexOf(a.worst) - findingKinds.indexOf(b.worst) || b.count - a.count,
  );
  return panel(
    "findings",
    "Findings on scripts",
    shortList(
      shown,
      ({ zone, worst, count }) =>
        html`<a href="/zones/${zone}#scripts-title">${zone}</a>
          <span class="note"
            ><b class="error">${worst.replaceAll("_", " ")}</b
            >${count > 1 && html` and ${counted(count - 1, "more finding")}`}</span
          >`,
      "zone",
    ),
  );
}

/** Who made drift, by the latest changes of the zones and by what differs now; nothing if nobody is known. */
function authorPanel(zones: readonly ZoneState[], now: Date): Html | undefined {
  const seen = zones.flatMap((state) =>
    authorsOf(state).map((author) => {
      return { zone: state.declared.name, name: authorName(author), author };
    }),
  );
  if (seen.length === 0) return undefined;
  // Those who changed the most zones first.
  const authors = [...Map.groupBy(seen, ({ name }) => name)]
    .map(([name, own]) => ({
      name,
      zones: new Set(own.map(({ zone }) => zone)),
      last: new Date(Math.max(...own.map(({ author }) => Number(author.at)))),
      isPossible: own.every(({ author }) => !author.isCertain),
    }))
    .toSorted(byText(({ name }) => name))
    .toSorted((a, b) => b.zones.size - a.zones.size || Number(b.last) - Number(a.last));
  return panel(
    "authors",
    "Who changes zones by hand",
    shortList(authors, ({ name, zones: own, last, isPossible }) => {
      const [only = ""] = own;
      const query = new URLSearchParams({ author: name }).toString();
      const sure = isPossible ? ", possibly" : "";
      const where =
        own.size === 1
          ? html`${zoneLink(only)}${sure}`
          : html`<a href="/?${query}">${counted(own.size, "zone")}${sure}</a>`;
      return html`${foreign(name)} ${moment(last, now)} <span class="note">${where}</span>`;
    }),
  );
}

/** Changes that are listed; the zones have more. */
const recentShown = 12;

function recentChanges(recent: readonly ChangeRecord[], now: Date): Html {
  if (recent.length === 0) return html`<p class="quiet">No changes since the start.</p>`;
  return html`<ol class="recent">
    ${recent.slice(0, recentShown).map((record) => recentItem(record, now))}
  </ol>`;
}

function recentItem(record: ChangeRecord, now: Date): Html {
  const { zone, at, changes, trigger } = record;
  return html`<li>
    ${zoneLink(zone)} ${moment(at, now)}
    <span class="note"
      >${counted(changes.length, "change")} after ${causeText(causesIn(changes))}, ${trigger}
      ${weakenedBadge(changes)} ${undoneBadge(record)}</span
    >
  </li>`;
}

function schedule({ schedule: sweeps, queue }: DaemonStatus, now: Date): Html {
  const { expressions, timezone, nextAt } = sweeps;
  return facts({
    Sweeps: [expressions.map((cron) => html`<code>${cron}</code> `), timezone],
    Next: nextAt === undefined ? "none scheduled" : moment(nextAt, now),
    Queue: queue.waiting === 0 ? "empty" : `${counted(queue.waiting, "zone")} waiting`,
    Running: queue.running.length === 0 ? "nothing" : queue.running.join(", "),
  });
}

function auditState(
  { state, since, accounts, reason, usedElsewhere }: AuditFeedStatus,
  now: Date,
): Html {
  if (state === "off") {
    return html`<p class="quiet">Not followed: sweeps find changes by hand.</p>`;
  }
  const isGood = state === "following";
  const others = auditFeedStates.filter((each) => each !== "following" && accounts[each] > 0);
  return html`<p>
      ${isGood ? html`<span class="good">${state}</span>` : html`<b class="error">${state}</b>`}
      since ${moment(since, now)}
    </p>
    ${
      !isGood &&
      html`<p class="quiet">
        ${others.map((each) => `${counted(accounts[each], "account")} ${each}`).join(", ")}:
        ${foreign(reason)} Sweeps go on; changes by hand are found later.
      </p>`
    }
    ${usedElsewhere.length > 0 && tokenUses(usedElsewhere, now)}`;
}

/** How the measurements go, and why they do not. */
function collectorText({ state, reason }: CollectorStatus): Html {
  const remedy = collectorRemedies[state];
  if (remedy !== "") {
    return html`<p><b class="error">${state}</b>: ${foreign(reason)}</p>
      <p class="quiet">${remedy}</p>`;
  }
  return html`<p>
    <span class="${state === "collecting" ? "good" : "quiet"}">${state}</span>
  </p>`;
}

/** The uses of our tokens elsewhere: what they mean, and each. */
export function tokenUses(uses: readonly JudgedTokenUse[], now: Date): Html {
  return html`<p>
      <b class="error">Our token is used elsewhere.</b> Another installation or pipeline probably
      has the same token: give each its own, and revoke this one if you know of none.
    </p>
    <ul class="recent">
      ${uses.map(
        ({ at, credential, zone, method, path, isDrift }) =>
          html`<li>
            ${foreign(credential)} ${moment(at, now)}
            <span class="note"
              >${foreign(`${method} ${path}`)}
              ${zone !== "" && zoneLink(zone)}${isDrift && ", drift"}</span
            >
          </li>`,
      )}
    </ul>`;
}

function credentialList(credentials: readonly CredentialStatus[], now: Date): Part {
  if (credentials.length === 0) return html`<p class="quiet">No credential is configured.</p>`;
  return credentials.map((credential) => credentialItem(credential, now));
}

function credentialItem(credential: CredentialStatus, now: Date): Html {
  const { name, valid, expiresAt, limit, remaining, resetAt } = credential;
  const isResetAhead = resetAt !== undefined && resetAt > now;
  return html`<div class="credential">
    <p>
      <b>${foreign(name)}</b>
      ${valid ? html`<span class="good">valid</span>` : html`<b class="error">invalid</b>`}
    </p>
    <p class="quiet">
      ${number(remaining)} of ${number(limit)} requests
      left${isResetAhead && html`; the count resets ${moment(resetAt, now)}`}
    </p>
    <meter
      min="0"
      max="${Math.max(limit, 1)}"
      low="${Math.round(limit / 10)}"
      optimum="${Math.max(limit, 1)}"
      value="${remaining}"
      aria-label="Requests left for ${name}"
    ></meter>
    ${expiresAt !== undefined && html`<p class="quiet">Token expires ${moment(expiresAt, now)}</p>`}
  </div>`;
}
