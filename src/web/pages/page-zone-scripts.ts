import { html, type Html, htmlTable } from "../../render/html.ts";
import type {
  ScriptFinding,
  ScriptWatch,
  WatchedScript,
} from "../../state/scripts/script-watch.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import { counted, foreign, moment } from "./page-parts.ts";

/** The declared scripts of a zone: what was seen, what is authorised, what policies do, and the findings. */
export function renderScripts({ scripts: watch }: ZoneState, now: Date): Html | undefined {
  if (watch === undefined) return undefined;
  const { readAt, scripts, moreScripts, pages } = watch;
  return html`<section aria-labelledby="scripts-title">
    <h2 id="scripts-title">
      Declared scripts
      <small
        >${readAt === undefined ? "the inventory was not read yet" : html`checked ${moment(readAt, now)}`}</small
      >
    </h2>
    <p class="quiet">On ${pages.length === 0 ? "the declared pages" : foreign(pages.join(", "))}</p>
    ${findings(watch, now)}
    ${
      scripts.length === 0
        ? html`<p class="empty">No script in use was seen on these pages.</p>`
        : scriptTable(scripts, now)
    }
    ${moreScripts > 0 && html`<p class="quiet">and ${counted(moreScripts, "more script")}</p>`}
  </section>`;
}

function findings({ findings: all, moreFindings }: ScriptWatch, now: Date): Html {
  const open = all.filter(({ acceptance }) => acceptance === undefined);
  const accepted = all.filter(({ acceptance }) => acceptance !== undefined);
  return html`${
    open.length === 0
      ? html`<p>No open finding.</p>`
      : html`<h3 class="error">Open findings</h3>
          <ul class="items plain">
            ${open.map((each) => finding(each, now))}
          </ul>`
  }
  ${moreFindings > 0 && html`<p class="quiet">and ${counted(moreFindings, "more finding")}</p>`}
  ${
    accepted.length > 0 &&
    html`<details id="acknowledged">
      <summary>Acknowledged (${accepted.length})</summary>
      <ul class="items plain">
        ${accepted.map((each) => finding(each, now))}
      </ul>
    </details>`
  }`;
}

function finding(
  { id, kind, subject, detail, firstSeenAt, acceptance, pageUrls }: ScriptFinding,
  now: Date,
): Html {
  return html`<li>
    <b>${kind}</b> ${subject !== "" && html`<code class="value">${subject}</code>`}
    <span class="note"
      >${foreign(detail)}; found
      ${moment(firstSeenAt, now)}${pageUrls.length > 0 && html` on <code class="value">${pageUrls[0]}</code>`}${
        acceptance !== undefined &&
        html`; acknowledged by ${foreign(acceptance.by)} until
        ${acceptance.until.toISOString().slice(0, 10)}: ${foreign(acceptance.reason)}`
      } <code class="quiet">${id}</code></span
    >
  </li>`;
}

function scriptTable(scripts: readonly WatchedScript[], now: Date): Html {
  return htmlTable(
    ["Script", "Last seen", "Authorised", "Policies that are enforced"],
    scripts.map((script) => scriptRow(script, now)),
  );
}

/** URLs are no links: they may be malicious. */
function scriptRow(
  { url, lastSeenAt, isAuthorised, entry, enforcement }: WatchedScript,
  now: Date,
): Html {
  return html`<tr>
    <th scope="row"><code class="value">${url}</code></th>
    <td data-label="last seen">
      ${lastSeenAt === undefined ? "unknown" : moment(lastSeenAt, now)}
    </td>
    <td data-label="authorised">
      ${isAuthorised ? "yes" : html`<b class="error">no</b>`}${entry !== "" && entry !== url && html`, by <code class="value">${entry}</code>`}${entry !== "" && !isAuthorised && ", not approved"}
    </td>
    <td data-label="policies">
      ${
        enforcement.length === 0
          ? html`<span class="quiet">none</span>`
          : enforcement.map(
              ({ policy, decision }) => html`<div>${foreign(policy)} ${decision}</div>`,
            )
      }
    </td>
  </tr>`;
}
