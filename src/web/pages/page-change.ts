import type { Change, Effect, FieldChange } from "../../plan/change.ts";
import { authorsText, causeRemark } from "../../render/cause-text.ts";
import { effectMarks, remarkOf, shownFields, verbSigns } from "../../render/change-text.ts";
import { measuredText } from "../../render/counted-text.ts";
import { type Columns, html, type Html, htmlTable } from "../../render/html.ts";
import { foreign, relative } from "./page-parts.ts";
import { renderSides, renderValue } from "./value-diff.ts";

/** Names of the two sides of a field: live and declared in a plan, before and after in a record. */
export interface Sides {
  readonly before: string;
  readonly after: string;
}

/** A change with its effect and both sides of each field; `changes` are all of its plan. */
export function renderChange(
  change: Change,
  changes: readonly Change[],
  sides: Sides,
  now: Date,
): Html {
  const { effect, key, title, verb } = change;
  const fields = shownFields(change);
  return html`<article class="change ${effect.direction}">
    <header>
      <h3>
        <span class="sign ${verb}" aria-hidden="true">${verbSigns[verb]}</span>
        <span class="hidden">${verb}</span> <code>${foreign(key)}</code>
      </h3>
      ${title !== "" && html`<span class="title">${foreign(title)}</span>`}
      <span class="badges">${remark(change, changes)} ${effectBadge(effect)}</span>
    </header>
    ${renderAuthors(change, now)} ${[reasonList(effect.reasons), renderMeasured(change)]}
    ${fields.length > 0 && fieldTable(verb, fields, sides)}
  </article>`;
}

function renderAuthors(change: Change, now: Date): Html | undefined {
  const text = authorsText(change, (at) => relative(at, now));
  return text === "" ? undefined : html`<p class="authors">${foreign(text)}</p>`;
}

function renderMeasured(change: Change): Html | undefined {
  const text = measuredText([change]);
  return text === "" ? undefined : html`<p class="authors">${foreign(text)}</p>`;
}

function effectBadge({ direction, mayBreak }: Effect): Html {
  return html`<span class="effect ${direction}"
      ><span aria-hidden="true">${effectMarks[direction].sign}</span> ${direction}</span
    >
    ${mayBreak && html`<span class="effect breaks">may break pages</span>`}`;
}

function remark(change: Change, changes: readonly Change[]): Html {
  const texts = [remarkOf(change), causeRemark(change, changes)].filter((text) => text !== "");
  return html`${texts.map((text) => html`<span class="effect neutral">${text}</span> `)}`;
}

function reasonList(reasons: readonly string[]): Html | undefined {
  if (reasons.length === 0) return undefined;
  return html`<ul class="reasons">
    ${reasons.map((reason) => html`<li>${foreign(reason)}</li>`)}
  </ul>`;
}

/** Both sides of an update; one side of a create or delete. */
function fieldTable(verb: Change["verb"], fields: readonly FieldChange[], sides: Sides): Html {
  const rows = fields.map(({ field, before, after }) => ({
    name: foreign(field),
    ...(verb === "update"
      ? renderSides(before, after)
      : { before: renderValue(before), after: renderValue(after) }),
  }));
  const columns: Columns<(typeof rows)[number]> = {
    Field: ({ name }) => name,
    ...(verb === "create" ? {} : { [sides.before]: ({ before }) => before }),
    ...(verb === "delete" ? {} : { [sides.after]: ({ after }) => after }),
  };
  return htmlTable(columns, rows, "fields");
}
