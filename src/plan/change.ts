import { isDeepStrictEqual } from "node:util";

import type { Json } from "../syntax/json.ts";
import type { Kind, ResourceKey } from "../zone/resource.ts";

/** Where a change moves the protection of a zone; `unclear` where that cannot be told. */
export const directions = ["strengthens", "weakens", "neutral", "unclear"] as const;

/** One of {@link directions}. */
export type Direction = (typeof directions)[number];

/** What a change does to the protection of its zone, with the reasons in words. */
export interface Effect {
  readonly direction: Direction;
  /** Whether visitors may be blocked who were not blocked before. */
  readonly mayBreak: boolean;
  readonly reasons: readonly string[];
}

/** One field that differs; `undefined` where the side does not have it. */
export interface FieldChange {
  readonly field: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * Why the live state is not the declared one: `drift`, where it was as declared before (or bears our marks),
 * `pending`, where the declaration has not been carried out yet.
 */
export const causes = ["drift", "pending"] as const;

/** One of {@link causes}. */
export type Cause = (typeof causes)[number];

/** What all changes have. */
interface ChangeBase {
  readonly kind: Kind;
  readonly key: ResourceKey;
  /** What people call it: the description of a policy or rule, "" for a setting. */
  readonly title: string;
  /** The fields that differ, in the order in which the model declares them. */
  readonly fields: readonly FieldChange[];
  readonly effect: Effect;
}

/** Something declared that is not live. */
export interface Create extends ChangeBase {
  readonly verb: "create";
}

/** Something live that is not as declared. */
export interface Update extends ChangeBase {
  readonly verb: "update";
  /** Id at the service; the setting's name for a setting. */
  readonly id: string;
  /** Whether it was not ours until now. */
  readonly adopted: boolean;
}

/** Why something live is to go. */
export const deleteReasons = ["undeclared", "duplicate", "unmanaged"] as const;

/** One of {@link deleteReasons}. */
export type DeleteReason = (typeof deleteReasons)[number];

/** Something live that is to go. */
export interface Delete extends ChangeBase {
  readonly verb: "delete";
  readonly id: string;
  readonly reason: DeleteReason;
}

/** One step from live towards desired, in the unit that people think in. */
export type Change = Create | Update | Delete;

/** What changes do. */
export const verbs = ["create", "update", "delete"] as const;

/** One of {@link verbs}. */
export type Verb = (typeof verbs)[number];

/** A change in a line: `~ policy/checkout (action, enabled)`. */
export function summaryOf(change: Change): string {
  switch (change.verb) {
    case "create":
      return `+ ${change.key}`;
    case "update":
      return `~ ${change.key} (${change.fields.map(({ field }) => field).join(", ")})`;
    case "delete":
      return `- ${change.key}`;
  }
}

/** No effect on protection. */
export const neutral: Effect = { direction: "neutral", mayBreak: false, reasons: [] };

/** More protection, which may block visitors where `mayBreak` says so. */
export function strengthens(reason: string, mayBreak: boolean): Effect {
  return { direction: "strengthens", mayBreak, reasons: [reason] };
}

/** Less protection. */
export function weakens(reason: string): Effect {
  return { direction: "weakens", mayBreak: false, reasons: [reason] };
}

/** An effect that cannot be told from the outside; it may go either way. */
export function unclear(reason: string, mayBreak: boolean): Effect {
  return { direction: "unclear", mayBreak, reasons: [reason] };
}

/** The effect of several things at once: where one strengthens and another weakens, nobody can tell which counts more. */
export function combine(effects: readonly Effect[]): Effect {
  const telling = effects.filter(({ direction }) => direction !== "neutral");
  const directions = new Set(telling.map(({ direction }) => direction));
  const [only] = directions;
  return {
    direction: only === undefined ? "neutral" : directions.size === 1 ? only : "unclear",
    mayBreak: effects.some(({ mayBreak }) => mayBreak),
    reasons: effects.flatMap(({ reasons }) => reasons),
  };
}

/** One side of a comparison: the fields in the order in which people read them. */
export type Fields = Readonly<Record<string, Json | undefined>>;

/** The fields that differ between two sides; a side that is not there has none. */
export function differingFields(before: Fields, after: Fields): readonly FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after));
}
