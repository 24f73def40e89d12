import { isDeepStrictEqual } from "node:util";

import type { Json } from "../syntax/json.ts";
import type { Kind, ResourceKey } from "../zone/resource.ts";
import type { Author } from "./cause/author.ts";
import type { CountedEffect, MeasuredEffect, Uncounted } from "./measured-effect.ts";

/** What a change does to the protection of a zone; `unclear` if that cannot be determined. */
export const directions = ["strengthens", "weakens", "neutral", "unclear"] as const;

export type Direction = (typeof directions)[number];

/** The effect of a change on the protection of its zone, with the reasons in words. */
export interface Effect {
  readonly direction: Direction;
  /** Whether visitors may be blocked who were not blocked before. */
  readonly mayBreak: boolean;
  readonly reasons: readonly string[];
}

/** One field that differs; `undefined` if the side does not have it. */
export interface FieldChange {
  readonly field: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * Why live and desired state differ. `drift`: the live value is not the one that was last applied. `pending`: the declared
 * value is not the one that was last applied. `unknown`: what was last applied is not known.
 */
export const causes = ["drift", "pending", "unknown"] as const;

export type Cause = (typeof causes)[number];

/** A cause of a change, and the fields that it explains. A field can have two causes: both sides were changed. */
export interface Explanation {
  readonly cause: Cause;
  readonly fields: readonly string[];
}

interface ChangeBase {
  readonly kind: Kind;
  readonly key: ResourceKey;
  /** The description of a policy or rule, "" for a setting. */
  readonly title: string;
  /** The fields that differ, in the order in which the model declares them. */
  readonly fields: readonly FieldChange[];
  readonly effect: Effect;
  /** Why it is needed; empty in a plan that was not compared with what was last applied. */
  readonly causes: readonly Explanation[];
  /** Who made the drift; empty if nobody is known, absent if the audit log was not asked. */
  readonly authors?: readonly Author[];
  /** What counts could say of it; absent if it does nothing to requests that can be counted. */
  readonly counted?: CountedEffect | Uncounted | undefined;
  /** What the counts say; absent if nobody looked. */
  readonly measured?: MeasuredEffect | undefined;
}

/** A declared resource that is not live. */
export interface Create extends ChangeBase {
  readonly verb: "create";
}

/** A live resource that is not as declared. */
export interface Update extends ChangeBase {
  readonly verb: "update";
  /** Id at the service; the setting's name for a setting. */
  readonly id: string;
  /** Whether the resource carries no mark of ours yet. */
  readonly adopted: boolean;
}

export const deleteReasons = ["undeclared", "duplicate", "unmanaged"] as const;

/** Why a live resource is deleted. */
export type DeleteReason = (typeof deleteReasons)[number];

/** A live resource to delete. */
export interface Delete extends ChangeBase {
  readonly verb: "delete";
  readonly id: string;
  readonly reason: DeleteReason;
}

/** One step from live to desired state. */
export type Change = Create | Update | Delete;

export const verbs = ["create", "update", "delete"] as const;

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

/** Whether a change puts a rule in another place, whatever else it does. */
export function isMove({ fields }: Change): boolean {
  return fields.some(({ field }) => field === "position");
}

/** No effect on protection. */
export const neutral: Effect = { direction: "neutral", mayBreak: false, reasons: [] };

/** More protection, which may block visitors where `mayBreak` is set. */
export function strengthens(reason: string, mayBreak: boolean): Effect {
  return { direction: "strengthens", mayBreak, reasons: [reason] };
}

/** Less protection. */
export function weakens(reason: string): Effect {
  return { direction: "weakens", mayBreak: false, reasons: [reason] };
}

/** An effect that may go either way. */
export function unclear(reason: string, mayBreak: boolean): Effect {
  return { direction: "unclear", mayBreak, reasons: [reason] };
}

/** The changes that weaken the protection, or may. */
export function weakeningChanges(changes: readonly Change[]): readonly Change[] {
  return changes.filter(
    ({ effect }) => effect.direction === "weakens" || effect.direction === "unclear",
  );
}

/** Whether a change protects more, and cannot break a site. */
export function onlyStrengthens({ effect }: Change): boolean {
  return effect.direction === "strengthens" && !effect.mayBreak;
}

/** The effect of several changes at once: `unclear` if some strengthen and others weaken. */
export function combine(effects: readonly Effect[]): Effect {
  const found = new Set(effects.map(({ direction }) => direction));
  found.delete("neutral");
  const [first = "neutral"] = found;
  return {
    direction: found.size > 1 ? "unclear" : first,
    mayBreak: effects.some(({ mayBreak }) => mayBreak),
    reasons: effects.flatMap(({ reasons }) => reasons),
  };
}

/** One side of a comparison: its fields in the order in which they are shown. */
export type Fields = Readonly<Record<string, Json | undefined>>;

/** The fields that differ between two sides. */
export function differingFields(before: Fields, after: Fields): readonly FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after));
}
