import { type Cause, causes, type Change } from "../change.ts";

export function causesOf({ causes: explanations }: Pick<Change, "causes">): readonly Cause[] {
  return explanations.map(({ cause }) => cause);
}

/** Whether a change corrects drift, whatever else it does. */
export function isDrift(change: Pick<Change, "causes">): boolean {
  return causesOf(change).includes("drift");
}

/** Whether a change corrects drift, or something of which it is not known whether it is drift. */
export function mayBeDrift(change: Pick<Change, "causes">): boolean {
  return causesOf(change).some((cause) => cause !== "pending");
}

export function causesIn(changes: readonly Pick<Change, "causes">[]): readonly Cause[] {
  const found = new Set(changes.flatMap(causesOf));
  return causes.filter((cause) => found.has(cause));
}

/** The changes that have a cause, whatever other causes they have. */
export function changesWith(cause: Cause, changes: readonly Change[]): readonly Change[] {
  return changes.filter((change) => causesOf(change).includes(cause));
}

/** The fields of a change that a cause explains. */
export function fieldsWith(cause: Cause, { causes: explanations }: Change): readonly string[] {
  return explanations.find((each) => each.cause === cause)?.fields ?? [];
}

/** A change with the causes of its fields, in the order of both. */
export function explained(
  change: Change,
  causesOfField: (field: string) => readonly Cause[],
): Change {
  const fields = change.fields.map(({ field }) => ({ field, found: causesOfField(field) }));
  const explanations = causes
    .map((cause) => ({
      cause,
      fields: fields.filter(({ found }) => found.includes(cause)).map(({ field }) => field),
    }))
    .filter((each) => each.fields.length > 0);
  return { ...change, causes: explanations };
}
