import type { Problem } from "../zone/problem.ts";
import { html, type Html } from "./html.ts";
import type { Look } from "./look.ts";
import { breadcrumb, layout } from "./page-layout.ts";
import { counted, foreign, moment } from "./page-parts.ts";

/** Everything that is wrong in the files, with its place. */
export function renderProblemsPage(look: Look): Html {
  const problems = look.fleet.load?.problems ?? [];
  return layout(
    look,
    "Problems",
    html`${breadcrumb("Problems")}
      <h1>Problems in files</h1>
      <p class="lead">${summary(look)}</p>
      ${
        problems.length > 0 &&
        html`<ol class="problems">
          ${problems.map(problemItem)}
        </ol>`
      }`,
  );
}

function summary({ fleet: { load }, now }: Look): Html {
  if (load === undefined) return html`The files have not been read yet.`;
  const { problems, source, at } = load;
  const found = problems.length === 0 ? "Nothing is wrong" : counted(problems.length, "problem");
  return html`${found} in <code>${foreign(source)}</code>, read ${moment(at, now)}.`;
}

function problemItem({ code, severity, place, path, message, remedy }: Problem): Html {
  return html`<li class="card ${severity}">
    <p>
      <code>${foreign(`${place.file}:${place.line}:${place.column}`)}</code>
      <span class="severity">${severity}</span> <code class="quiet">${code}</code>
    </p>
    <p><strong>${foreign(message)}</strong> ${foreign(remedy)}</p>
    ${path !== "" && html`<p class="quiet">in <code>${foreign(path)}</code></p>`}
  </li>`;
}
