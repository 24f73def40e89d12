import type { LiveRule } from "../zone/live-zone.ts";
import { type Mark, markOfRef } from "../zone/mark.ts";
import type { ListedKind, ResourceKey, RuleKind } from "../zone/resource.ts";
import type { Change, FieldChange } from "./change.ts";
import type { Hold } from "./guard/hold.ts";

/**
 * A rule that was adopted. It keeps the ref of whoever made it, since another ref makes another rule (SERVICE.md B.4): that
 * it is ours is remembered, and not marked.
 */
export interface AdoptedRule {
  readonly kind: RuleKind;
  readonly id: string;
  readonly ref: string;
  /** The declared key. */
  readonly key: string;
}

/** What is ours beside the live resources with our mark, and what is to become ours. */
export interface Ownership {
  /** Whether the plan marks the declared policies without a mark. */
  readonly adopt: boolean;
  readonly rules: readonly AdoptedRule[];
}

/** Only what carries our mark is ours, and a policy is marked when it is changed. */
export const byMarks: Ownership = { adopt: false, rules: [] };

/** A declared resource that is live and not ours: deleted from the files, it would stay. */
export interface Unowned {
  readonly kind: ListedKind;
  readonly key: ResourceKey;
  readonly id: string;
  /** The ref of a rule; "" for a policy. */
  readonly ref: string;
  readonly title: string;
}

/** The mark of a live rule; for an adopted one without any mark, ours. */
export function markOfRule({ id, ref }: LiveRule, { rules }: Ownership, owner: string): Mark {
  const mark = markOfRef(ref);
  if (mark.owner !== undefined) return mark;
  const adopted = rules.find((each) => each.id === id && each.ref === ref);
  return adopted === undefined ? mark : { owner, key: adopted.key };
}

/** The field of the change that takes ownership of a policy or custom ruleset. */
export const ownerField = "owner";

/**
 * What differs of a live resource whose mark is in its description: its key, and the fields that are given. A write adds our
 * mark: to a resource that is as declared only with `adopt`.
 */
export function withMark(
  fields: readonly FieldChange[],
  mark: Mark,
  key: string,
  owner: string,
  { adopt }: Pick<Ownership, "adopt">,
): readonly FieldChange[] {
  if (mark.owner === owner) {
    return mark.key === key ? fields : [{ field: "key", before: mark.key, after: key }, ...fields];
  }
  const takes = adopt && fields.length === 0;
  return takes ? [{ field: ownerField, before: undefined, after: owner }] : fields;
}

/** Whether a change only writes our mark. */
export function isAdoption(change: Change): boolean {
  return (
    change.verb === "update" &&
    change.adopted &&
    change.fields.every(({ field }) => field === ownerField)
  );
}

/**
 * Holds the delete of a rule that only a memory says is ours. A mark is written by us and read from the service; a memory
 * can be forged, or copied from another installation. So a person has to agree.
 */
export function adoptedDeleteHold(key: ResourceKey, { id, ref, description }: LiveRule): Hold {
  return {
    reason: "adopted_delete",
    message: `${key} would be deleted, and the live rule ${id} (${description || ref}) has no mark: only the state says that it was adopted; declare it again`,
  };
}
