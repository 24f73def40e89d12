import { impactOf } from "../report/drift.ts";
import { driftOf, type ChangeRecord, type ZoneState } from "../report/zone-state.ts";
import { html, type Html } from "./html.ts";
import type { Look } from "./look.ts";
import { renderChange } from "./page-change.ts";
import { breadcrumb, layout } from "./page-layout.ts";
import { counted, foreign, moment, shortRevision, statusBadge } from "./page-parts.ts";

/** All about a zone: what is so, what would be done, what was done. */
export function renderZonePage(look: Look, state: ZoneState): Html {
  const { name } = state.declared;
  return layout(
    look,
    name,
    html`${breadcrumb(name)}
      <h1>${name} ${statusBadge(state.status)}</h1>
      <div class="columns">
        <div>${troubles(state)}${differences(state, look.now)} ${history(state, look.now)}</div>
        <div class="side">${facts(state, look.now)}${unmanaged(state)}${notes(state)}</div>
      </div>`,
  );
}

/** Why the zone is not checked or not changed. */
function troubles({ failure, refusals, declared, consecutiveFailures }: ZoneState): Html {
  const { suspension } = declared;
  return html`${
    failure === undefined
      ? undefined
      : html`<section class="card error">
          <h2>The last run failed</h2>
          <p>${foreign(failure.message)}</p>
          <p class="quiet">
            <code>${failure.code}</code
            >${failure.ray === "" ? undefined : html` ray <code>${failure.ray}</code>`}
            ${counted(consecutiveFailures, "failure")} in a row,
            ${failure.transient ? "tried again by itself" : "not tried again before something changes"}
          </p>
        </section> `
  }${
    suspension === undefined
      ? undefined
      : html`<section class="card warning">
          <h2>Suspended</h2>
          <p>${foreign(suspension.reason)}</p>
          <p class="quiet">
            Read and reported, never
            written${suspension.until === undefined ? undefined : html` until <time>${suspension.until.toISOString()}</time>`}.
          </p>
        </section> `
  }${
    refusals.length === 0
      ? undefined
      : html`<section class="card warning">
          <h2>The plan is held</h2>
          <ul>
            ${refusals.map(({ code, message }) => html`<li>${foreign(message)} <code class="quiet">${code}</code></li>`)}
          </ul>
        </section> `
  }`;
}

function differences(state: ZoneState, now: Date): Html {
  const { differing, lastRun } = state;
  if (differing.length === 0) {
    return html`<section aria-labelledby="plan-title">
      <h2 id="plan-title">Plan</h2>
      <p class="empty">
        ${lastRun === undefined ? "This zone has not been looked at yet." : html`Nothing to do: what is live is what is declared. ${counted(state.compared, "thing")} compared.`}
      </p>
    </section>`;
  }
  return html`<section aria-labelledby="plan-title">
    <h2 id="plan-title">Plan <small>${headline(state, now)}</small></h2>
    ${differing.map((change) => renderChange(change))}
  </section>`;
}

function headline(state: ZoneState, now: Date): Html {
  const drifted = driftOf(state);
  const count = counted(state.differing.length, "change");
  if (drifted.length === 0) return html`${count} declared and not carried out yet`;
  const weaker = drifted.filter(({ effect }) => impactOf(effect.direction) === "weakens").length;
  return html`${count} to undo drift, seen
  ${moment(state.driftedSince, now)}${weaker === 0 ? undefined : html`; <b class="error">${weaker} weakened protection</b>`}`;
}

function facts(state: ZoneState, now: Date): Html {
  const { zone, declared, lastRun } = state;
  return html`<section class="panel" aria-labelledby="facts-title">
    <h2 id="facts-title">State</h2>
    <dl>
      <dt>Since</dt>
      <dd>${moment(state.statusSince, now)}</dd>
      <dt>Last success</dt>
      <dd>${moment(state.lastSuccess, now)}</dd>
      <dt>Last look</dt>
      <dd>
        ${moment(lastRun?.at, now)}${lastRun === undefined ? undefined : html` <span class="quiet">${lastRun.trigger}, ${lastRun.durationMs} ms</span>`}
      </dd>
      ${
        lastRun === undefined
          ? undefined
          : html`<dt>Revision</dt>
              <dd><code title="${lastRun.revision}">${shortRevision(lastRun.revision)}</code></dd>
              <dt>Run</dt>
              <dd><code>${lastRun.run}</code></dd>`
      }
      <dt>Mode</dt>
      <dd>${declared.mode}</dd>
      <dt>Drifted</dt>
      <dd>
        ${counted(state.driftOnsets.setting + state.driftOnsets.policy + state.driftOnsets.rule, "time")}
        since the start
      </dd>
      ${
        zone === undefined
          ? undefined
          : html`<dt>Id</dt>
              <dd><code>${zone.id}</code></dd>
              <dt>Account</dt>
              <dd>${foreign(zone.accountName)}</dd>
              <dt>Plan</dt>
              <dd>${zone.plan === "" ? "unknown" : zone.plan}</dd>
              <dt>Service says</dt>
              <dd>${zone.status}</dd>`
      }
    </dl>
    <p class="quiet"><a href="/api/v1/zones/${declared.name}">JSON</a></p>
  </section> `;
}

function unmanaged({ unmanaged: found }: ZoneState): Html | undefined {
  if (found.length === 0) return undefined;
  return html`<section class="panel" aria-labelledby="unmanaged-title">
    <h2 id="unmanaged-title">Unmanaged <small>left alone</small></h2>
    <ul class="plain">
      ${found.map(({ kind, id, title }) => html`<li>${kind} <code>${id}</code>${title === "" ? undefined : html`<span class="note">${foreign(title)}</span>`}</li>`)}
    </ul>
  </section> `;
}

function notes({ notes: told }: ZoneState): Html | undefined {
  if (told.length === 0) return undefined;
  return html`<section class="panel" aria-labelledby="notes-title">
    <h2 id="notes-title">Notes</h2>
    <ul class="plain">
      ${told.map((note) => html`<li>${foreign(note)}</li>`)}
    </ul>
  </section> `;
}

function history({ changes }: ZoneState, now: Date): Html {
  return html`<section aria-labelledby="history-title">
    <h2 id="history-title">What was changed</h2>
    ${changes.length === 0 ? html`<p class="empty">Nothing since the start.</p>` : changes.map((record, at) => historyItem(record, now, at === 0))}
  </section>`;
}

function historyItem(record: ChangeRecord, now: Date, open: boolean): Html {
  const undone = record.writes.filter(({ status }) => status !== "done");
  return html`<details class="record" id="run-${record.run}" ${open ? html` open` : undefined}>
    <summary>
      ${moment(record.at, now)} <b>${counted(record.changes.length, "change")}</b> after
      ${record.cause === "drift" ? "drift" : "a new revision"}${undone.length === 0 ? undefined : html` <b class="error">${undone.length} of ${record.writes.length} writes not done</b>`}
    </summary>
    <p class="quiet">
      Trigger ${record.trigger}, revision <code>${shortRevision(record.revision)}</code>, run
      <code>${record.run}</code>, ${record.at.toISOString()}
    </p>
    ${record.changes.map((change) => renderChange(change))}
    <ul class="plain writes">
      ${record.writes.map(
        ({ call, status, because, ray }) =>
          html`<li>
            <code>${call}</code>
            <b class="${status === "done" ? "good" : "error"}">${status}</b>
            ${foreign(because)}${ray === "" ? undefined : html` <span class="quiet">ray <code>${ray}</code></span>`}
          </li>`,
      )}
    </ul>
  </details> `;
}
