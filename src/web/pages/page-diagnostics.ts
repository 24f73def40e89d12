import { html, type Html } from "../../render/html.ts";
import {
  brokenFiles,
  type HeldRevision,
  isFirstRound,
  type LoadReport,
} from "../../state/load-report.ts";
import { type Diagnostic, errorsFirst, isError, messageWithZones } from "../../zone/diagnostic.ts";
import type { Snapshot } from "../snapshot.ts";
import { breadcrumb, layout } from "./page-layout.ts";
import { andMore, card, commitCode, counted, foreign, moment, revisionCode } from "./page-parts.ts";

/** The diagnostics of the files with their places, and the held revision. */
export function renderDiagnosticsPage(snapshot: Snapshot): Html {
  const { load } = snapshot.fleet;
  const diagnostics = load?.diagnostics ?? [];
  return layout(
    snapshot,
    "Diagnostics",
    html`${breadcrumb("Diagnostics")}
      <h1>Diagnostics</h1>
      <p class="lead">${summary(snapshot)}</p>
      ${load?.held !== undefined && heldItem(load.held, load)}
      ${
        diagnostics.length > 0 &&
        html`<ol class="diagnostics">
            ${errorsFirst(diagnostics).slice(0, mostShown).map(diagnosticItem)}
          </ol>
          ${andMore(diagnostics.length - mostShown, "diagnostic")}`
      }`,
  );
}

/** Diagnostics on the page; zonewarden validate prints all. */
const mostShown = 50;

function summary({ fleet: { load }, now }: Snapshot): Html {
  if (load === undefined) return html`The files have not been read yet.`;
  const { diagnostics, source, at, held } = load;
  const nothing = held === undefined ? "No diagnostics" : "No diagnostics, but a held revision";
  const found = diagnostics.length === 0 ? nothing : counted(diagnostics.length, "diagnostic");
  const errors = diagnostics.filter(isError).length;
  return html`${found} in <code>${foreign(source)}</code>, read ${moment(at, now)}.
    ${
      errors > 0 &&
      html`${counted(errors, "error")} in <code>${foreign(brokenFiles(diagnostics))}</code>${
          errors < diagnostics.length &&
          html`, ${counted(diagnostics.length - errors, "warning")} after them`
        }.`
    }`;
}

function heldItem({ revision, commit, hold, zones }: HeldRevision, load: LoadReport): Html {
  const { revision: inForce, commit: commitInForce } = load;
  const effect = isFirstRound(load)
    ? html`Nothing is written; ${counted(zones, "zone")} would change.`
    : html`Revision ${revisionCode(inForce)}${commitCode(commitInForce)} stays active;
      ${counted(zones, "zone")} would change or be dropped.`;
  return card(
    "error",
    html`The revision ${revisionCode(revision)}${commitCode(commit)} is held`,
    html`<p>${foreign(hold.message)} <code class="quiet">${hold.reason}</code></p>
      <p class="quiet">${effect}</p>`,
  );
}

function diagnosticItem(diagnostic: Diagnostic): Html {
  const { code, severity, place, path, remedy } = diagnostic;
  return html`<li class="card ${severity}">
    <p>
      <code>${foreign(`${place.file}:${place.line}:${place.column}`)}</code>
      <span class="severity">${severity}</span> <code class="quiet">${code}</code>
    </p>
    <p><strong>${foreign(messageWithZones(diagnostic))}</strong> ${foreign(remedy)}</p>
    ${path !== "" && html`<p class="quiet">in <code>${foreign(path)}</code></p>`}
  </li>`;
}
