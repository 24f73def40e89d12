import type { ZoneSeries } from "../../measure/measured-series.ts";
import { causesIn } from "../../plan/cause/cause.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import type { Unmanaged } from "../../plan/write-order.ts";
import { html, type Html } from "../../render/html.ts";
import { unownedLines } from "../../render/plan-text.ts";
import { headlineOf } from "../../render/write-answers.ts";
import type { DaemonStatus } from "../../state/daemon-status.ts";
import { weakeningOf } from "../../state/drift.ts";
import { type Failure, isObservation } from "../../state/run-report.ts";
import {
  type ChangeRecord,
  driftOf,
  pendingOf,
  unknownOf,
  type ZoneState,
} from "../../state/zone-state.ts";
import type { Suspension } from "../../zone/desired-zone.ts";
import { kindWords } from "../../zone/resource.ts";
import type { Zone } from "../../zone/zone.ts";
import { type Snapshot, writeAnswerOf } from "../snapshot.ts";
import { type NextStep, nextSteps } from "./next-steps.ts";
import { renderChange } from "./page-change.ts";
import { tokenUses } from "./page-fleet-side.ts";
import { breadcrumb, layout } from "./page-layout.ts";
import {
  card,
  causeText,
  counted,
  facts,
  foreign,
  moment,
  panel,
  plainList,
  ray,
  renderReconcile,
  revisionCode,
  section,
  statusBadge,
  undoneBadge,
  weakenedBadge,
} from "./page-parts.ts";
import { renderTimeline } from "./page-timeline.ts";
import { renderInventory } from "./page-zone-inventory.ts";
import { labelLinks } from "./page-zone-list.ts";
import { renderMeasurements } from "./page-zone-measurements.ts";
import { renderScripts } from "./page-zone-scripts.ts";
import { renderSteps } from "./page-zone-steps.ts";

/**
 * The page of a zone: status, plan, steps, measurements, inventory, history.
 *
 * @param series the counts of the last days; `undefined`: nothing is measured; a text says why they cannot be read.
 */
export function renderZonePage(
  snapshot: Snapshot,
  state: ZoneState,
  series?: ZoneSeries | string,
): Html {
  const { name } = state.declared;
  return layout(
    snapshot,
    name,
    html`${breadcrumb(name)}
      <h1>${name} ${statusBadge(state.status)}</h1>
      <div class="columns">
        <div>
          ${renderAlerts(state)} ${plan(state, snapshot.now)} ${writeChain(state, snapshot)}
          ${[
            renderSteps(snapshot.stepsOf(name), snapshot.now),
            renderMeasurements(series, snapshot.daemon.measurements),
            renderScripts(state, snapshot.now),
            renderInventory(state, snapshot.now),
          ]}
          ${renderTimeline(snapshot, state)} ${history(state, snapshot.now)}
        </div>
        <div class="side">
          ${panel("next", "What you can do", plainList(nextSteps(state), stepItem, "steps"))}
          ${snapshot.canReconcile && renderReconcile(name)} ${renderFacts(state, snapshot)}
        </div>
      </div>`,
  );
}

function stepItem({ what, command }: NextStep): Html {
  return html`${what} <code class="command">${command}</code>`;
}

const planned = { before: "Live", after: "Declared" };
const applied = { before: "Before", after: "After" };

function plan(state: ZoneState, now: Date): Html {
  const { differing } = state;
  return section(
    "plan",
    html`Plan ${differing.length > 0 && html`<small>${headline(state, now)}</small>`}`,
    html`${
      differing.length === 0
        ? html`<p class="empty">${nothingToDo(state)}</p>`
        : differing.map((change) => renderChange(change, differing, planned, now))
    }
    ${renderImpact(state, now)}`,
  );
}

function nothingToDo({ lastRun, zone, compared, declared }: ZoneState): string {
  if (lastRun === undefined) return "The zone was not reconciled yet.";
  if (zone === undefined) return "The zone was not read yet.";
  const resources = `(${counted(compared, "resource")} compared)`;
  return declared.hold === undefined
    ? `No changes: the live state equals the desired state ${resources}.`
    : `Nothing to do by the active revision: what is live is what it declares ${resources}.`;
}

/** What the zone has to pass before it is written. */
function writeChain(state: ZoneState, snapshot: Snapshot): Html {
  const answers = writeAnswerOf(state, snapshot);
  const isHeldBack = answers.links.some(({ reason }) => reason !== "");
  return html`<details class="record" id="write" ${isHeldBack && "open"}>
    <summary><b>May it be written?</b> <small>${headlineOf(answers)}</small></summary>
    <ol>
      ${answers.links.map(
        (each) =>
          html`<li>
            <b class="${each.reason === "" ? "good" : "error"}"
              >${each.link} ${each.answer}${each.reason !== "" && ":"}</b
            >
            ${foreign(each.reason)}
            ${each.remedy !== "" && html`<br /><span class="quiet">${each.remedy}</span>`}
          </li>`,
      )}
    </ol>
  </details>`;
}

function headline(state: ZoneState, now: Date): Html {
  const drifted = driftOf(state);
  const pending = pendingOf(state).length;
  const unknown = unknownOf(state).length;
  const weaker = weakeningOf(drifted).length;
  return html`${
    drifted.length > 0 &&
    html`${counted(drifted.length, "change")} to correct drift, detected
    ${moment(state.driftedSince, now)}${weaker > 0 && html`; <b class="error">${weaker} weakened the protection</b>`} `
  }
  ${pending > 0 && html`${counted(pending, "change")} pending `}
  ${unknown > 0 && html`${counted(unknown, "change")} of unknown cause`}`;
}

function history({ changes }: ZoneState, now: Date): Html {
  return section(
    "history",
    "Applied changes",
    changes.length === 0
      ? html`<p class="empty">None since the start.</p>`
      : changes.map((record, at) => historyItem(record, now, at === 0)),
  );
}

function historyItem(record: ChangeRecord, now: Date, isLatest: boolean): Html {
  const { run, at, changes, trigger, revision, writes } = record;
  return html`<details class="record" id="run-${run}" ${isLatest && "open"}>
    <summary>
      ${moment(at, now)} <b>${counted(changes.length, "change")}</b> after
      ${causeText(causesIn(changes))} ${weakenedBadge(changes)} ${undoneBadge(record)}
    </summary>
    <p class="quiet">
      Trigger ${trigger}, revision ${revisionCode(revision)}, run <code>${run}</code>,
      ${at.toISOString()}
    </p>
    ${changes.map((change) => renderChange(change, changes, applied, now))}
    ${plainList(writes, writeItem, "writes")}
  </details>`;
}

function writeItem({ ray: id, ...write }: ChangeRecord["writes"][number]): Html {
  const { call, changes, status, reason } = write;
  return html`<code>${call}</code> ${foreign(changes.join(", "))}
    <b class="${status === "done" ? "good" : "error"}">${status}</b> ${foreign(reason)} ${ray(id)}`;
}

/** Why a zone is not checked or not changed, each reason with what to do. */
function renderAlerts(state: ZoneState): Html {
  const { failure, holds, declared, consecutiveFailures } = state;
  const { suspension, hold } = declared;
  return html`${failure !== undefined && failed(failure, consecutiveFailures)}
  ${suspension !== undefined && suspended(suspension)}
  ${hold !== undefined && held(`The new revision of the files ${hold.reason === "wave" ? "waits" : "is held"}`, [hold])}
  ${holds.length > 0 && held(titleOf(holds), holds)}`;
}

function titleOf(holds: readonly Hold[]): string {
  if (!holds.every(isObservation)) return "The plan is held";
  return holds.some(({ reason }) => reason === "wave") ? "The plan waits" : "Observed only";
}

function failed({ code, message, transient, ray: id }: Failure, failures: number): Html {
  return card(
    "error",
    "The last reconcile failed",
    html`<p>${foreign(message)}</p>
      <p class="quiet">
        <code>${code}</code> ${ray(id)} ${counted(failures, "failure")} in a row,
        ${transient ? "retried automatically" : "waits for a change of the files or the next sweep"}
      </p>`,
  );
}

function suspended({ reason, until }: Suspension): Html {
  const end = until === undefined ? "" : ` until ${until.toISOString()}`;
  return card(
    "warning",
    "Suspended",
    html`<p>${foreign(reason)}</p>
      <p class="quiet">Reconciled without writes${end}.</p>`,
  );
}

function held(title: string, holds: readonly Hold[]): Html {
  const items = holds.map(
    ({ reason, message }) =>
      html`<li>${foreign(message)} <code class="quiet">${reason}</code></li>`,
  );
  return card(
    "warning",
    title,
    html`<ul>
      ${items}
    </ul>`,
  );
}

/** The impact of the plan as in `plan --impact`; nothing without a plan or inventory. */
function renderImpact(state: ZoneState, now: Date): Html | undefined {
  const { inventory, differing, holds } = state;
  if (inventory === undefined || differing.length === 0) return undefined;
  const lines = inventory.facts?.impact ?? [];
  if (lines.length === 0) {
    return html`<p class="quiet">The impact is not known yet.</p>`;
  }
  return html`<details class="record" id="impact" ${holds.length > 0 && "open"}>
    <summary>
      <b>Impact on the inventory</b>
      <small>as of ${moment(inventory.readAt, now)}</small>
    </summary>
    <pre class="value">${lines.join("\n")}</pre>
  </details>`;
}

type Mode = DaemonStatus["mode"];

function renderFacts(state: ZoneState, { now, daemon }: Snapshot): Html {
  const { unmanaged, zone, declared } = state;
  const notes = [...state.notes, ...unownedLines(state.unowned)];
  const uses = daemon.audit?.usedElsewhereOf.get(declared.name) ?? [];
  return html`${panel("state", "State", stateList(state, now, daemon.mode))}
  ${uses.length > 0 && panel("audit", "Audit log", tokenUses(uses, now))}
  ${zone !== undefined && panel("service", "At the service", serviceList(zone))}
  ${unmanaged.length > 0 && panel("unmanaged", "Unmanaged", plainList(unmanaged, unmanagedItem))}
  ${notes.length > 0 && panel("notes", "Notes", plainList(notes, foreign))}`;
}

function stateList(state: ZoneState, now: Date, mode: Mode): Html {
  const { declared, lastRun: last, lastSuccess, statusSince, driftOnsets } = state;
  const labels = labelLinks(declared.labels);
  return html`${facts({
      Since: moment(statusSince, now),
      "Last success": moment(lastSuccess, now),
      "Last run": last && [moment(last.at, now), `, ${last.trigger}, ${last.durationMs} ms`],
      Revision: last && revisionCode(last.revision),
      Run: last && html`<code>${last.run}</code>`,
      Mode: modeText(declared.mode, mode),
      Labels: labels.length > 0 ? labels : undefined,
      Drifted: `${driftOnsets === 0 ? "never" : counted(driftOnsets, "time")} since the start`,
    })}
    <p><a href="/api/v1/zones/${declared.name}">JSON</a></p>`;
}

/** The stricter mode applies; if the program observes, the declared mode is shown, too. */
function modeText(zone: Mode, program: Mode): string {
  return program === "observe" && zone === "enforce"
    ? "observe (program); enforce (zone file)"
    : zone;
}

function serviceList({ id, accountName, tier, status }: Zone): Html {
  return facts({
    "Zone id": html`<code>${id}</code>`,
    Account: foreign(accountName),
    Plan: tier === "" ? "unknown" : tier,
    Status: status,
  });
}

function unmanagedItem({ kind, id, title }: Unmanaged): Html {
  return html`${kindWords(kind)}
    <code>${id}</code> ${title !== "" && html`<span class="note">${foreign(title)}</span>`}`;
}
