import type { Unmanaged } from "../../plan/write-order.ts";
import { html, type Html } from "../../render/html.ts";
import type { DaemonStatus } from "../../state/daemon-status.ts";
import type { ByKind } from "../../state/drift.ts";
import type { LastRun, ZoneState } from "../../state/zone-state.ts";
import { kinds } from "../../zone/resource.ts";
import type { Zone } from "../../zone/zone.ts";
import type { Snapshot } from "../snapshot.ts";
import { tokenUses } from "./page-fleet-side.ts";
import { counted, foreign, moment, panel, revisionCode } from "./page-parts.ts";

type Mode = DaemonStatus["mode"];

/** State, attributes, unmanaged resources and notes of a zone. */
export function renderFacts(state: ZoneState, { now, daemon }: Snapshot): Html {
  const { unmanaged, notes, zone, declared } = state;
  const uses = daemon.audit?.usedElsewhereOf.get(declared.name) ?? [];
  return html`${panel("state", "State", stateList(state, now, daemon.mode))}
  ${uses.length > 0 && panel("audit", "Audit log", tokenUses(uses, now))}
  ${zone !== undefined && panel("service", "At the service", serviceList(zone))}
  ${unmanaged.length > 0 && panel("unmanaged", "Unmanaged", unmanagedList(unmanaged))}
  ${notes.length > 0 && panel("notes", "Notes", noteList(notes))}`;
}

function stateList(state: ZoneState, now: Date, mode: Mode): Html {
  const { declared, lastRun, lastSuccess, statusSince, driftOnsets } = state;
  return html`<dl>
      <dt>Since</dt>
      <dd>${moment(statusSince, now)}</dd>
      <dt>Last success</dt>
      <dd>${moment(lastSuccess, now)}</dd>
      ${lastRun !== undefined && runItems(lastRun, now)}
      <dt>Mode</dt>
      <dd>${modeText(declared.mode, mode)}</dd>
      <dt>Drifted</dt>
      <dd>${onsetsText(driftOnsets)} since the start</dd>
    </dl>
    <p><a href="/api/v1/zones/${declared.name}">JSON</a></p>`;
}

/** By kind, as in the metrics: the sum would count a drift of two kinds twice. */
function onsetsText(onsets: ByKind): string {
  const drifted = kinds.filter((kind) => onsets[kind] > 0);
  if (drifted.length === 0) return "never";
  return drifted.map((kind) => `${kind} ${counted(onsets[kind], "time")}`).join(", ");
}

/** The stricter mode applies; if the program observes, the declared mode is shown, too. */
function modeText(zone: Mode, program: Mode): string {
  return program === "observe" && zone === "enforce"
    ? "observe (program); enforce (zone file)"
    : zone;
}

function runItems({ at, trigger, durationMs, revision, run }: LastRun, now: Date): Html {
  return html`<dt>Last run</dt>
    <dd>${moment(at, now)}, ${trigger}, ${durationMs} ms</dd>
    <dt>Revision</dt>
    <dd>${revisionCode(revision)}</dd>
    <dt>Run</dt>
    <dd><code>${run}</code></dd>`;
}

function serviceList({ id, accountName, plan, status }: Zone): Html {
  return html`<dl>
    <dt>Zone id</dt>
    <dd><code>${id}</code></dd>
    <dt>Account</dt>
    <dd>${foreign(accountName)}</dd>
    <dt>Plan</dt>
    <dd>${plan === "" ? "unknown" : plan}</dd>
    <dt>Status</dt>
    <dd>${status}</dd>
  </dl>`;
}

function unmanagedList(unmanaged: readonly Unmanaged[]): Html {
  return html`<ul class="plain">
    ${unmanaged.map(
      ({ kind, id, title }) =>
        html`<li>
          ${kind} <code>${id}</code>
          ${title !== "" && html`<span class="note">${foreign(title)}</span>`}
        </li>`,
    )}
  </ul>`;
}

function noteList(notes: readonly string[]): Html {
  return html`<ul class="plain">
    ${notes.map((note) => html`<li>${foreign(note)}</li>`)}
  </ul>`;
}
