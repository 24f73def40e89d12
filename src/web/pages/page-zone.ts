import { causesIn } from "../../plan/cause/cause.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import { firstBlock } from "../../plan/guard/may-write.ts";
import { html, type Html } from "../../render/html.ts";
import { headlineOf } from "../../render/write-answers.ts";
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
import { type Snapshot, writeAnswerOf } from "../snapshot.ts";
import { renderChange } from "./page-change.ts";
import { breadcrumb, layout } from "./page-layout.ts";
import {
  causeText,
  counted,
  foreign,
  moment,
  ray,
  renderReconcile,
  revisionCode,
  statusBadge,
  undoneBadge,
  weakenedBadge,
} from "./page-parts.ts";
import { renderTimeline } from "./page-timeline.ts";
import { renderInventory } from "./page-zone-inventory.ts";
import { renderScripts } from "./page-zone-scripts.ts";
import { renderFacts } from "./page-zone-side.ts";

/** The page of a zone: status, plan, inventory, history. */
export function renderZonePage(snapshot: Snapshot, state: ZoneState): Html {
  const { name } = state.declared;
  return layout(
    snapshot,
    name,
    html`${breadcrumb(name)}
      <h1>${name} ${statusBadge(state.status)}</h1>
      <div class="columns">
        <div>
          ${renderAlerts(state)} ${plan(state, snapshot.now)} ${writeChain(state, snapshot)}
          ${[renderScripts(state, snapshot.now), renderInventory(state, snapshot.now)]}
          ${renderTimeline(snapshot, state)} ${history(state, snapshot.now)}
        </div>
        <div class="side">
          ${snapshot.canReconcile && renderReconcile(name)} ${renderFacts(state, snapshot)}
        </div>
      </div>`,
  );
}

const planned = { before: "Live", after: "Declared" };
const applied = { before: "Before", after: "After" };

function plan(state: ZoneState, now: Date): Html {
  const { differing } = state;
  return html`<section aria-labelledby="plan-title">
    <h2 id="plan-title">
      Plan ${differing.length > 0 && html`<small>${headline(state, now)}</small>`}
    </h2>
    ${
      differing.length === 0
        ? html`<p class="empty">${nothingToDo(state)}</p>`
        : differing.map((change) => renderChange(change, differing, planned, now))
    }
    ${renderImpact(state, now)}
  </section>`;
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
  const block = firstBlock(answers.links);
  return html`<details class="record" id="write" ${block !== undefined && "open"}>
    <summary><b>May it be written?</b> <small>${headlineOf(answers)}</small></summary>
    <ol>
      ${answers.links.map(
        (each) =>
          html`<li>
            <b class="${each.answer === "blocked" ? "error" : "good"}"
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
  return html`<section aria-labelledby="history-title">
    <h2 id="history-title">Applied changes</h2>
    ${
      changes.length === 0
        ? html`<p class="empty">None since the start.</p>`
        : changes.map((record, at) => historyItem(record, now, at === 0))
    }
  </section>`;
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
    <ul class="plain writes">
      ${writes.map(writeItem)}
    </ul>
  </details>`;
}

function writeItem({
  call,
  changes,
  status,
  reason,
  ray: id,
}: ChangeRecord["writes"][number]): Html {
  return html`<li>
    <code>${call}</code> ${foreign(changes.join(", "))}
    <b class="${status === "done" ? "good" : "error"}">${status}</b>
    ${foreign(reason)} ${ray(id)}
  </li>`;
}

/** Why a zone is not checked or not changed, each reason with what to do. */
function renderAlerts(state: ZoneState): Html {
  const { failure, holds, declared, consecutiveFailures } = state;
  const { suspension, hold } = declared;
  return html`${failure !== undefined && failed(failure, consecutiveFailures)}
  ${suspension !== undefined && suspended(suspension)}
  ${hold !== undefined && held("The new revision of the files is held", [hold])}
  ${holds.length > 0 && held(planTitle(holds), holds)}`;
}

function failed({ code, message, transient, ray: id }: Failure, failures: number): Html {
  return html`<section class="card error">
    <h2>The last reconcile failed</h2>
    <p>${foreign(message)}</p>
    <p class="quiet">
      <code>${code}</code> ${ray(id)} ${counted(failures, "failure")} in a row,
      ${transient ? "retried automatically" : "waits for a change of the files or the next sweep"}
    </p>
  </section>`;
}

function suspended({ reason, until }: Suspension): Html {
  const end = until === undefined ? "" : ` until ${until.toISOString()}`;
  return html`<section class="card warning">
    <h2>Suspended</h2>
    <p>${foreign(reason)}</p>
    <p class="quiet">Reconciled without writes${end}.</p>
  </section>`;
}

function planTitle(holds: readonly Hold[]): string {
  return holds.every(isObservation) ? "Observed only" : "The plan is held";
}

function held(title: string, holds: readonly Hold[]): Html {
  return html`<section class="card warning">
    <h2>${title}</h2>
    <ul>
      ${holds.map(
        ({ reason, message }) =>
          html`<li>${foreign(message)} <code class="quiet">${reason}</code></li>`,
      )}
    </ul>
  </section>`;
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
