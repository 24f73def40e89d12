import { changesWith } from "../../plan/cause/cause.ts";
import type { Cause, Change } from "../../plan/change.ts";
import { driftWords } from "../../render/cause-text.ts";
import { shortRevision } from "../../render/format.ts";
import { html, type Html, type Part } from "../../render/html.ts";
import { weakeningOf } from "../../state/drift.ts";
import type { ChangeRecord, ZoneStatus } from "../../state/zone-state.ts";
import type { Severity } from "../../zone/diagnostic.ts";

export function statusText(status: ZoneStatus): string {
  return status.replace("_", " ");
}

const causeNouns: Readonly<Record<Cause, string>> = {
  drift: "drift",
  pending: "a new declaration",
  unknown: "a difference of unknown cause",
};

/** What changes came after: `drift and a new declaration`. */
export function causeText(causes: readonly Cause[]): string {
  return causes.map((cause) => causeNouns[cause]).join(" and ");
}

/** That changes corrected a weaker protection, and that somebody had made it weaker. */
export function weakenedBadge(changes: readonly Change[]): Html | undefined {
  const weakened = weakeningOf(changesWith("drift", changes)).length;
  return weakened === 0 ? undefined : html`<b class="error">${driftWords.weakens}</b>`;
}

export function statusBadge(status: ZoneStatus): Html {
  return html`<span class="status ${status}">${statusText(status)}</span>`;
}

/** How many writes of a run were not done, if any. */
export function undoneBadge({ writes }: ChangeRecord): Html | undefined {
  const undone = writes.filter(({ status }) => status !== "done").length;
  if (undone === 0) return undefined;
  return html`<b class="error">${undone} of ${counted(writes.length, "write")} not done</b>`;
}

/** A part of a page with a heading; `kind` is its class. */
export function section(id: string, title: Part, content: Part, kind?: string): Html {
  return html`<section${kind !== undefined && html` class="${kind}"`} aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${content}
  </section>`;
}

/** A box at the side of a page. */
export function panel(id: string, title: string, content: Part): Html {
  return section(id, title, content, "panel");
}

/** Something that a person must see, with its heading. */
export function card(severity: Severity, title: Part, content: Part): Html {
  return html`<section class="card ${severity}">
    <h2>${title}</h2>
    ${content}
  </section>`;
}

/** What every page says before its content. */
export function banner(title: Part, content: Part): Html {
  return html`<p class="banner" role="status"><strong>${title}</strong> ${content}</p>`;
}

/** Names with their values, without those that are `undefined`. */
export function facts(values: Readonly<Record<string, Part>>): Html {
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return html`<dl>
    ${known.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** Lists longer than this are cut. */
const mostListed = 12;

/** The first items of a list, and how many more there are; of `noun`, if it is given. */
export function shortList<T>(items: readonly T[], contentOf: (item: T) => Part, noun = ""): Html {
  return html`<ul class="recent">
      ${items.slice(0, mostListed).map((item) => html`<li>${contentOf(item)}</li>`)}
    </ul>
    ${andMore(items.length - mostListed, noun)}`;
}

/** How many more items of `noun` there are than are listed; nothing for none. */
export function andMore(count: number, noun = ""): Html | undefined {
  if (count <= 0) return undefined;
  const what = noun === "" ? `${number(count)} more` : counted(count, `more ${noun}`);
  return html`<p class="quiet">and ${what}</p>`;
}

/** Items without marks. */
export function plainList<T>(items: readonly T[], contentOf: (item: T) => Part, kind = ""): Html {
  return html`<ul class="plain ${kind}">
    ${items.map((item) => html`<li>${contentOf(item)}</li>`)}
  </ul>`;
}

export function zoneLink(name: string): Html {
  return html`<a href="/zones/${name}">${name}</a>`;
}

/** The service's id of a request, for its support. */
export function ray(id: string): Html | undefined {
  return id === "" ? undefined : html`<span class="quiet">ray <code>${id}</code></span>`;
}

/** A timestamp relative to now, with the exact one as title; "never" for none. */
export function moment(at: Date | undefined, now: Date): Html {
  if (at === undefined) return html`<span class="quiet">never</span>`;
  const iso = at.toISOString();
  return html`<time datetime="${iso}" title="${iso}">${relative(at, now)}</time>`;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** To the minute, so that a page and its ETag stay the same for one. */
export function relative(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  const text = lengthOf(Math.abs(ms));
  if (ms < 0) return text === "" ? "in a moment" : `in ${text}`;
  return text === "" ? "just now" : `${text} ago`;
}

function lengthOf(ms: number): string {
  if (ms < minute) return "";
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} days`;
}

/** Text of others, isolated so that it cannot change the direction of the text around it. */
export function foreign(text: string): Html | undefined {
  return text === "" ? undefined : html`<bdi>${text}</bdi>`;
}

/** `1 change`, `2,000 changes`. */
export function counted(count: number, one: string): string {
  return `${number(count)} ${count === 1 ? one : `${one}s`}`;
}

/** `2,000`. */
export function number(count: number): string {
  return count.toLocaleString("en");
}

/** A short revision, with the whole one as title. */
export function revisionCode(revision: string): Html {
  return html`<code title="${revision}">${shortRevision(revision)}</code>`;
}

/** Git's name for a revision, short; nothing if there is none. */
export function commitCode(commit: string | undefined): Html | undefined {
  if (commit === undefined) return undefined;
  return html` (commit <code title="${commit}">${shortRevision(commit)}</code>)`;
}

/** The form to request a reconcile of a zone, "" for all. The pages do not store the token. */
export function renderReconcile(zone: string): Html {
  return panel(
    "reconcile",
    "Reconcile",
    html`<form class="ask" method="post" action="/reconcile">
      <input type="hidden" name="zone" value="${zone}" />
      <label class="hidden" for="token">Reconcile token</label>
      <input
        id="token"
        type="password"
        name="token"
        required
        placeholder="Token"
        autocomplete="current-password"
      />
      <button type="submit">${zone === "" ? "All zones" : "This zone"}</button>
    </form>`,
  );
}

/** Width of a bar, in units of its own. */
export const barWidth = 1000;

/** A part of a bar; `kind` is its class. */
export function barPart(
  kind: string,
  { x, width, height }: { readonly x: number; readonly width: number; readonly height: number },
  title = "",
): Html {
  const place = html`x="${x.toFixed(1)}" width="${width.toFixed(1)}" height="${height}"`;
  return html`<rect class="${kind}" ${place}
    >${title !== "" && html`<title>${title}</title>`}</rect
  >`;
}

/** A bar as wide as its place. */
export function bar(kind: string, label: string, parts: Part, height: number): Html {
  return html`<svg
    class="${kind}"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${barWidth} ${height}"
    preserveAspectRatio="none"
  >
    ${parts}
  </svg>`;
}
