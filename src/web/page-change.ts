import type { Change, FieldChange } from "../plan/change.ts";
import { html, type Html } from "./html.ts";
import { effectBadge, foreign } from "./page-parts.ts";
import { renderSides } from "./value-diff.ts";

const signs = { create: "+", update: "~", delete: "−" } as const;

/** A change as a readable difference: what it is, what it does to protection, each field before and after. */
export function renderChange(change: Change): Html {
  const { effect, key, title, fields, verb } = change;
  const name = html`<span class="sign ${verb}" aria-hidden="true">${signs[verb]}</span>
    <span class="hidden">${verb}</span> <code>${foreign(key)}</code>`;
  return html`<article class="change ${effect.direction}">
    <header>
      <h3>${name}</h3>
      ${title === "" ? undefined : html`<span class="title">${foreign(title)}</span>`}<span
        class="badges"
        >${effectBadge(effect.direction)}${effect.mayBreak ? html` <span class="effect breaks">may break pages</span>` : undefined}${remark(change)}</span
      >
    </header>
    ${
      effect.reasons.length === 0
        ? undefined
        : html`<ul class="reasons">
            ${effect.reasons.map((reason) => html`<li>${foreign(reason)}</li>`)}
          </ul>`
    }
    ${fields.length === 0 ? undefined : fieldTable(fields)}
  </article> `;
}

function remark(change: Change): Html | undefined {
  if (change.verb === "update" && change.adopted) {
    return html` <span class="effect neutral">adopted</span>`;
  }
  if (change.verb === "delete") return html` <span class="effect neutral">${change.because}</span>`;
  return undefined;
}

function fieldTable(fields: readonly FieldChange[]): Html {
  return html`<table class="fields">
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Live</th>
        <th scope="col">Declared</th>
      </tr>
    </thead>
    <tbody>
      ${fields.map(fieldRow)}
    </tbody>
  </table>`;
}

function fieldRow({ field, before, after }: FieldChange): Html {
  const sides = renderSides(before, after);
  return html`<tr>
    <th scope="row">${field}</th>
    <td data-label="live">${sides.before}</td>
    <td data-label="declared">${sides.after}</td>
  </tr> `;
}
