import type { LivePolicy } from "../../zone/live-zone.ts";
import { unmarked } from "../../zone/mark.ts";
import type { Policy } from "../../zone/resource.ts";
import type { FieldChange } from "../change.ts";
import type { Fields } from "../field-changes.ts";
import { differingFields } from "../field-changes.ts";

/** The fields in which a live policy differs from the declared one; a side that is not there has none. */
export function differingPolicyFields(
  before: LivePolicy | undefined,
  after: Policy | undefined,
  owner: string,
): readonly FieldChange[] {
  return differingFields(
    before === undefined ? {} : fieldsOf(before, wordsOf(before, owner)),
    after === undefined ? {} : fieldsOf(after, after.description),
  );
}

function fieldsOf(
  { action, expression, enabled, value }: LivePolicy | Policy,
  description: string,
): Fields {
  return { description, action, expression, enabled, value };
}

/** The description without a mark of ours; a mark of another owner is part of the words. */
function wordsOf({ description }: LivePolicy, owner: string): string {
  const mark = unmarked(description);
  return mark.owner === owner ? mark.description : description;
}
