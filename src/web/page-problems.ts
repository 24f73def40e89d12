import type { Problem } from "../zone/problem.ts";
import { html, type Html } from "./html.ts";
import type { Look } from "./look.ts";
import { breadcrumb, layout } from "./page-layout.ts";
import { counted, foreign, moment } from "./page-parts.ts";

/** Everything that is wrong in the files, with its place. */
export function renderProblemsPage(look: Look): Html {
  const { load } = look.fleet;
  const problems = load?.problems ?? [];
  return layout(
    look,
    "Problems",
    html`${breadcrumb("Problems")}
      <h1>Problems in files</h1>
      <p class="lead">
        ${
          load === undefined
            ? "The files have not been read yet."
            : html`${problems.length === 0 ? "Nothing is wrong" : counted(problems.length, "problem")}
                in <code>${foreign(load.source)}</code>, read ${moment(load.at, look.now)}.`
        }
      </p>
      ${
        problems.length === 0
          ? undefined
          : html`<ol class="problems">
              ${problems.map(problemItem)}
            </ol>`
      }`,
  );
}

function problemItem({ code, severity, place, path, message, remedy }: Problem): Html {
  return html`<li class="card ${severity}">
    <p class="where">
      <code>${foreign(`${place.file}:${place.line}:${place.column}`)}</code>
      <span class="severity ${severity}">${severity}</span> <code class="quiet">${code}</code>
    </p>
    <p>
      <strong>${foreign(message)}</strong>${remedy === "" ? undefined : html` ${foreign(remedy)}`}
    </p>
    ${path === "" ? undefined : html`<p class="quiet">in <code>${foreign(path)}</code></p>`}
  </li> `;
}
