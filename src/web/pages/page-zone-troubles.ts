import type { Hold } from "../../plan/guard/hold.ts";
import { type Failure, isObservation } from "../../state/run-report.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import type { Suspension } from "../../zone/desired-zone.ts";
import { html, type Html } from "./html.ts";
import { counted, foreign, ray } from "./page-parts.ts";

/** Why a zone is not checked or not changed, each reason with what to do. */
export function renderTroubles(state: ZoneState): Html {
  const { failure, holds, declared, consecutiveFailures } = state;
  const { suspension, hold } = declared;
  return html`${failure !== undefined && failed(failure, consecutiveFailures)}
  ${suspension !== undefined && suspended(suspension)}
  ${hold !== undefined && held("The new revision of the files is held", [hold])}
  ${holds.length > 0 && held(planTitle(holds), holds)}`;
}

function failed({ code, message, transient, ray: id }: Failure, failures: number): Html {
  return html`<section class="card error">
    <h2>The last run failed</h2>
    <p>${foreign(message)}</p>
    <p class="quiet">
      <code>${code}</code> ${ray(id)} ${counted(failures, "failure")} in a row,
      ${transient ? "tried again by itself" : "waits for a change of the files or the next sweep"}
    </p>
  </section>`;
}

function suspended({ reason, until }: Suspension): Html {
  const end = until === undefined ? "" : ` until ${until.toISOString()}`;
  return html`<section class="card warning">
    <h2>Suspended</h2>
    <p>${foreign(reason)}</p>
    <p class="quiet">Read and reported, not written${end}.</p>
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
