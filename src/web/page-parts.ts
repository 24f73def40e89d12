import type { Direction } from "../plan/change.ts";
import type { Impact } from "../report/drift.ts";
import type { ZoneStatus } from "../report/zone-state.ts";
import { html, type Html } from "./html.ts";

/** A status as people say it. */
export const statusWords: Readonly<Record<ZoneStatus, string>> = {
  in_sync: "in sync",
  drifted: "drifted",
  pending: "pending",
  blocked: "blocked",
  error: "error",
  unknown: "unknown",
  paused: "paused",
};

/** What a drift did to the protection, as people say it. */
export const impactWords: Readonly<Record<Impact, string>> = {
  weakens: "weaker",
  neutral: "other",
  strengthens: "stronger",
};

/** A status in colour and words. */
export function statusBadge(status: ZoneStatus): Html {
  return html`<span class="status ${status}">${statusWords[status]}</span>`;
}

const marks: Readonly<Record<Direction, string>> = {
  strengthens: "▲",
  weakens: "▼",
  neutral: "●",
  unclear: "?",
};

/** What a change does to the protection, as a mark and a word. */
export function effectBadge(direction: Direction): Html {
  return html`<span class="effect ${direction}"
    ><span aria-hidden="true">${marks[direction]}</span> ${direction}</span
  >`;
}

/** A moment, told relative to now and exactly on demand; "never" where there is none. */
export function moment(at: Date | undefined, now: Date): Html {
  if (at === undefined) return html`<span class="quiet">never</span>`;
  const iso = at.toISOString();
  return html`<time datetime="${iso}" title="${iso}">${relative(at, now)}</time>`;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Minutes are the finest that is told, so that a page stays the same between two looks. */
export function relative(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  const text = lengthOf(Math.abs(ms));
  if (text === "") return "just now";
  return ms > 0 ? `${text} ago` : `in ${text}`;
}

function lengthOf(ms: number): string {
  if (ms < minute) return "";
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} days`;
}

/** Text that somebody else wrote, kept from changing the direction of what stands around it. */
export function foreign(text: string): Html {
  return html`<bdi>${visible(text)}</bdi>`;
}

/**
 * Shows characters that would be invisible or would turn the text around as what they are: `⟨U+202E⟩`. A value
 * that is judged by eye must not look like another one.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, (found) =>
    found === "\n"
      ? found
      : `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** `1 change`, `2 changes`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** A revision as it is told to people: of a hash the first twelve digits. */
export function shortRevision(revision: string): string {
  return /^[0-9a-f]{16,}$/.test(revision) ? revision.slice(0, 12) : revision;
}
