import { impactOf } from "../../state/drift.ts";
import { driftOf, type ChangeRecord, type ZoneState } from "../../state/zone-state.ts";
import type { Snapshot } from "../json/snapshot.ts";
import { html, type Html } from "./html.ts";
import { renderChange } from "./page-change.ts";
import { breadcrumb, layout } from "./page-layout.ts";
import {
  causeNouns,
  counted,
  foreign,
  moment,
  ray,
  revisionCode,
  statusBadge,
  undoneBadge,
} from "./page-parts.ts";
import { renderReconcile } from "./page-reconcile.ts";
import { renderTimeline } from "./page-timeline.ts";
import { renderImpact } from "./page-zone-impact.ts";
import { renderInventory } from "./page-zone-inventory.ts";
import { renderFacts } from "./page-zone-side.ts";
import { renderTroubles } from "./page-zone-troubles.ts";

/** All about a zone: what is so, what would be done, what was done. */
export function renderZonePage(snapshot: Snapshot, state: ZoneState): Html {
  const { name } = state.declared;
  return layout(
    snapshot,
    name,
    html`${breadcrumb(name)}
      <h1>${name} ${statusBadge(state.status)}</h1>
      <div class="columns">
        <div>
          ${renderTroubles(state)} ${plan(state, snapshot.now)}
          ${renderInventory(state, snapshot.now)} ${renderTimeline(snapshot, state)}
          ${history(state, snapshot.now)}
        </div>
        <div class="side">
          ${snapshot.canAsk && renderReconcile(name)} ${renderFacts(state, snapshot)}
        </div>
      </div>`,
  );
}

const planned = { before: "Live", after: "Declared" };
const carriedOut = { before: "Before", after: "After" };

function plan(state: ZoneState, now: Date): Html {
  const { differing } = state;
  return html`<section aria-labelledby="plan-title">
    <h2 id="plan-title">
      Plan ${differing.length > 0 && html`<small>${headline(state, now)}</small>`}
    </h2>
    ${
      differing.length === 0
        ? html`<p class="empty">${nothingToDo(state)}</p>`
        : differing.map((change) => renderChange(change, planned))
    }
    ${renderImpact(state, now)}
  </section>`;
}

function nothingToDo({ lastRun, zone, compared, declared }: ZoneState): string {
  if (lastRun === undefined) return "This zone has not been looked at yet.";
  if (zone === undefined) return "This zone has not been read yet.";
  const things = `(${counted(compared, "thing")} compared)`;
  return declared.hold === undefined
    ? `Nothing to do: what is live is what is declared ${things}.`
    : `Nothing to do by the revision in force: what is live is what it declares ${things}.`;
}

function headline(state: ZoneState, now: Date): Html {
  const drifted = driftOf(state);
  const count = counted(state.differing.length, "change");
  if (drifted.length === 0) return html`${count} declared and not carried out yet`;
  const weaker = drifted.filter(({ effect }) => impactOf(effect.direction) === "weakens").length;
  return html`${count} to undo drift, seen
  ${moment(state.driftedSince, now)}${weaker > 0 && html`; <b class="error">${weaker} weakened the protection</b>`}`;
}

function history({ changes }: ZoneState, now: Date): Html {
  return html`<section aria-labelledby="history-title">
    <h2 id="history-title">What was changed</h2>
    ${
      changes.length === 0
        ? html`<p class="empty">Nothing since the start.</p>`
        : changes.map((record, at) => historyItem(record, now, at === 0))
    }
  </section>`;
}

function historyItem(record: ChangeRecord, now: Date, isLatest: boolean): Html {
  const { run, at, changes, cause, trigger, revision, writes } = record;
  return html`<details class="record" id="run-${run}" ${isLatest && "open"}>
    <summary>
      ${moment(at, now)} <b>${counted(changes.length, "change")}</b> after ${causeNouns[cause]}
      ${undoneBadge(record)}
    </summary>
    <p class="quiet">
      Trigger ${trigger}, revision ${revisionCode(revision)}, run <code>${run}</code>,
      ${at.toISOString()}
    </p>
    ${changes.map((change) => renderChange(change, carriedOut))}
    <ul class="plain writes">
      ${writes.map(writeItem)}
    </ul>
  </details>`;
}

function writeItem({ call, status, reason, ray: id }: ChangeRecord["writes"][number]): Html {
  return html`<li>
    <code>${call}</code> <b class="${status === "done" ? "good" : "error"}">${status}</b>
    ${foreign(reason)} ${ray(id)}
  </li>`;
}
