import { shortHash } from "../../render/format.ts";
import { html, type Html } from "../../render/html.ts";
import type { ZoneLabels } from "../../zone/desired-zone.ts";
import { filterWords } from "./page-fleet-overview.ts";
import { foreign, number, statusText } from "./page-parts.ts";
import {
  labelTexts,
  parametersOf,
  queryOf,
  selectionFrom,
  type SelectedZones,
  type ZoneFilter,
} from "./selection.ts";

/** The heading of the zones, and the search; `filters` are its other fields, shown if they have options. */
export function toolbar(
  { matching, zones }: SelectedZones<unknown>,
  selection: ZoneFilter,
  filters: readonly Filter[] = [],
): Html {
  const shown = filters.filter(({ options }) => options.length > 0);
  const fields = new Set(["q", "page", ...shown.map(({ name }) => name)]);
  const kept = Object.entries(parametersOf(selection)).filter(([name]) => !fields.has(name));
  return html`<div class="toolbar">
    <h2 id="zones-title">
      ${titleOf(selection)}
      ${zones.length < matching && html`<small>${zones.length} of ${number(matching)}</small>`}
    </h2>
    <form role="search" action="/" method="get">
      ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      ${shown.map(filterField)}
      <label class="hidden" for="q">Search zones by name, account or id</label>
      <input
        id="q"
        type="search"
        name="q"
        value="${selection.query}"
        placeholder="Name, account or id"
        autocomplete="off"
        spellcheck="false"
      />
      <button type="submit">Search</button>
    </form>
  </div>`;
}

/** A field that narrows or sorts the list. */
export interface Filter {
  readonly name: "account" | "drift" | "author" | "selector" | "sort";
  readonly label: string;
  readonly value: string;
  /** Each value, and what it is called. */
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** Options that are their own names. */
export function asOptions(texts: readonly string[]): Filter["options"] {
  return texts.map((text) => [text, text] as const);
}

/** More labels than a person reads through; each is a link at its zones. */
const labelsShown = 100;

/** A field of the labels of the fleet, and of what the selection asks for in another way. */
export function labelFilter(labels: readonly string[], { selector }: ZoneFilter): Filter {
  const shown = labels.slice(0, labelsShown);
  const others = selector === "" || shown.includes(selector) ? [] : [selector];
  const options = [...others, ...shown];
  return {
    name: "selector",
    label: "Labels",
    value: selector,
    options: options.length === 0 ? [] : [["", "All labels"], ...asOptions(options)],
  };
}

function filterField({ name, label, value, options }: Filter): Html {
  return html`<label class="hidden" for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${options.map(
        ([each, text]) =>
          html`<option value="${each}" ${each === value && "selected"}>${text}</option> `,
      )}
    </select>`;
}

function titleOf({ status, inventory, account, author, selector }: ZoneFilter): string {
  const words = [
    ...(status === undefined ? [] : [statusText(status)]),
    ...(inventory === undefined ? [] : [filterWords[inventory]]),
    ...(account === "" ? [] : [account]),
    ...(author === "" ? [] : [`changed by ${author}`]),
    ...(selector === "" ? [] : [selector]),
  ];
  return words.length === 0 ? "Zones" : `Zones: ${words.join(", ")}`;
}

/** The labels of a zone; each is a link to the zones of the selection that have it. */
export function labelLinks(
  labels: ZoneLabels,
  selection: ZoneFilter = selectionFrom({}),
): readonly Html[] {
  return labelTexts(labels).map(
    (selector) =>
      html`<a class="label" href="/${queryOf({ ...selection, selector, page: 1 })}"
        >${selector}</a
      > `,
  );
}

const maxNoteLength = 160;

/** A reason below the name of a zone, with short hashes, cut if it is long; nothing for none. */
export function shortNote(text: string): Html | undefined {
  if (text === "") return undefined;
  const short = text.replaceAll(/\b[0-9a-f]{64}\b/g, (hash) => `${shortHash(hash)}…`);
  const shown = short.length > maxNoteLength ? `${short.slice(0, maxNoteLength)}…` : short;
  return html`<span class="note">${foreign(shown)}</span>`;
}

/** Links to the pages before and after. */
export function pager({ page, pages }: SelectedZones<unknown>, selection: ZoneFilter): Html {
  const link = (to: number, rel: string, text: string): Html =>
    to < 1 || to > pages
      ? html`<span class="quiet">${text}</span>`
      : html`<a rel="${rel}" href="/${queryOf({ ...selection, page: to })}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages of zones">
    ${link(page - 1, "prev", "← Previous")}
    <span>Page ${page} of ${pages}</span>
    ${link(page + 1, "next", "Next →")}
  </nav>`;
}
