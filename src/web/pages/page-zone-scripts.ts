import { type Columns, html, type Html, htmlTable } from "../../render/html.ts";
import type {
  ScriptFinding,
  ScriptWatch,
  WatchedScript,
} from "../../state/scripts/script-watch.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import { andMore, foreign, moment, plainList, section } from "./page-parts.ts";

/** The declared scripts of a zone: what was seen, what is authorised, what policies do, and the findings. */
export function renderScripts({ scripts: watch }: ZoneState, now: Date): Html | undefined {
  if (watch === undefined) return undefined;
  const { readAt, scripts, moreScripts, pages } = watch;
  return section(
    "scripts",
    html`Declared scripts
      <small
        >${readAt === undefined ? "the inventory was not read yet" : html`checked ${moment(readAt, now)}`}</small
      >`,
    html`<p class="quiet">
        On ${pages.length === 0 ? "the declared pages" : foreign(pages.join(", "))}
      </p>
      ${renderFindings(watch, now)}
      ${
        scripts.length === 0
          ? html`<p class="empty">No script in use was seen on these pages.</p>`
          : htmlTable(columnsAt(now), scripts)
      }
      ${andMore(moreScripts, "script")}`,
  );
}

function renderFindings({ findings, moreFindings }: ScriptWatch, now: Date): Html {
  const open = findings.filter(({ acceptance }) => acceptance === undefined);
  const accepted = findings.filter(({ acceptance }) => acceptance !== undefined);
  const list = (some: readonly ScriptFinding[]) =>
    plainList(some, (each) => renderFinding(each, now), "items");
  return html`${
    open.length === 0
      ? html`<p>No open finding.</p>`
      : html`<h3 class="error">Open findings</h3>
          ${list(open)}`
  }
  ${andMore(moreFindings, "finding")}
  ${
    accepted.length > 0 &&
    html`<details id="acknowledged">
      <summary>Acknowledged (${accepted.length})</summary>
      ${list(accepted)}
    </details>`
  }`;
}

function renderFinding(
  { id, kind, subject, detail, firstSeenAt, acceptance, pageUrls }: ScriptFinding,
  now: Date,
): Html {
  return html`<b>${kind}</b> ${subject !== "" && html`<code class="value">${subject}</code>`}
    <span class="note"
      >${foreign(detail)}; found
      ${moment(firstSeenAt, now)}${pageUrls.length > 0 && html` on <code class="value">${pageUrls[0]}</code>`}${
        acceptance !== undefined &&
        html`; acknowledged by ${foreign(acceptance.by)} until
        ${acceptance.until.toISOString().slice(0, 10)}: ${foreign(acceptance.reason)}`
      } <code class="quiet">${id}</code></span
    >`;
}

/** The columns of the scripts as of `now`. URLs are no links: they may be malicious. */
function columnsAt(now: Date): Columns<WatchedScript> {
  return {
    Script: ({ url }) => html`<code class="value">${url}</code>`,
    "Last seen": ({ lastSeenAt }) =>
      lastSeenAt === undefined ? "unknown" : moment(lastSeenAt, now),
    Authorised: ({ url, entry, isAuthorised }) =>
      html`${isAuthorised ? "yes" : html`<b class="error">no</b>`}${entry !== "" && entry !== url && html`, by <code class="value">${entry}</code>`}${entry !== "" && !isAuthorised && ", not approved"}`,
    "Policies that are enforced": ({ enforcement }) =>
      enforcement.length === 0
        ? html`<span class="quiet">none</span>`
        : enforcement.map(
            ({ policy, decision }) => html`<div>${foreign(policy)} ${decision}</div>`,
          ),
  };
}
