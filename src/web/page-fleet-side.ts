import type { CredentialFacts, ScheduleFacts } from "../report/daemon.ts";
import type { ChangeRecord } from "../report/zone-state.ts";
import { html, type Html } from "./html.ts";
import type { Look } from "./look.ts";
import { counted, foreign, moment } from "./page-parts.ts";

const recentShown = 12;

/** What belongs to no single zone: latest changes, schedule and queue, budgets. */
export function renderSidePanels({ fleet, daemon, now }: Look): Html {
  return html`<div class="side">
    <section class="panel" aria-labelledby="recent-title">
      <h2 id="recent-title">Latest changes</h2>
      ${
        fleet.recent.length === 0
          ? html`<p class="quiet">Nothing has been changed since the start.</p>`
          : html`<ol class="recent">
              ${fleet.recent.slice(0, recentShown).map((record) => recentItem(record, now))}
            </ol>`
      }
    </section>
    <section class="panel" aria-labelledby="schedule-title">
      <h2 id="schedule-title">Schedule</h2>
      ${schedulePanel(daemon.schedule, now)}
      <dl>
        <dt>Queue</dt>
        <dd>
          ${daemon.queue.waiting === 0 ? "empty" : `${counted(daemon.queue.waiting, "zone")} waiting`}
        </dd>
        <dt>Running</dt>
        <dd>${daemon.queue.running.length === 0 ? "nothing" : daemon.queue.running.join(", ")}</dd>
      </dl>
    </section>
    <section class="panel" aria-labelledby="credentials-title">
      <h2 id="credentials-title">Credentials</h2>
      ${daemon.credentials.length === 0 ? html`<p class="quiet">None is configured.</p>` : daemon.credentials.map((credential) => credentialPanel(credential, now))}
    </section>
  </div>`;
}

function recentItem(record: ChangeRecord, now: Date): Html {
  const undone = record.writes.filter(({ status }) => status !== "done").length;
  return html`<li>
    <a href="/zones/${record.zone}">${record.zone}</a> ${moment(record.at, now)}
    <span class="note"
      >${counted(record.changes.length, "change")} after
      ${record.cause === "drift" ? "drift" : "a new revision"},
      ${record.trigger}${undone === 0 ? undefined : html` <b class="error">${undone} of ${record.writes.length} writes not done</b>`}</span
    >
  </li> `;
}

function schedulePanel(schedule: ScheduleFacts, now: Date): Html {
  return html`<dl>
    <dt>Sweeps</dt>
    <dd>${schedule.expressions.map((cron) => html`<code>${cron}</code> `)}${schedule.timezone}</dd>
    <dt>Next</dt>
    <dd>
      ${schedule.nextAt === undefined ? html`<span class="quiet">none planned</span>` : moment(schedule.nextAt, now)}
    </dd>
  </dl>`;
}

function credentialPanel(credential: CredentialFacts, now: Date): Html {
  const { name, valid, expiresAt, limit, remaining, resetAt } = credential;
  return html`<div class="credential">
    <p>
      <b>${foreign(name)}</b>
      ${valid ? html`<span class="good">valid</span>` : html`<span class="error">refused by the service</span>`}
    </p>
    <p class="quiet">
      <label
        >${remaining.toLocaleString("en")} of ${limit.toLocaleString("en")} requests left
        <meter
          min="0"
          max="${Math.max(limit, 1)}"
          low="${Math.round(limit * 0.1)}"
          optimum="${Math.max(limit, 1)}"
          value="${remaining}"
        ></meter></label
      >${resetAt === undefined ? undefined : html` fresh ${moment(resetAt, now)}`}${expiresAt === undefined ? undefined : html`<br />token expires ${moment(expiresAt, now)}`}
    </p>
  </div> `;
}
