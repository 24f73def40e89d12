import { byText } from "../../syntax/by-text.ts";
import type { ZoneDocument } from "../../zone/desired-zone.ts";
import { rawDigest } from "./declared-hash.ts";
import { priorityOf } from "./merged-document.ts";
import { labelOf } from "./target.ts";

/** Documents in the order in which they are merged, whatever the order of files and entries is. */
export function inOrder(documents: readonly ZoneDocument[]): readonly ZoneDocument[] {
  const identities = new Map(
    documents.map((each) => [each, `${labelOf(each.target)} ${rawDigest(each)}`]),
  );
  return documents
    .toSorted(byText((each) => identities.get(each) ?? ""))
    .toSorted((a, b) => priorityOf(a) - priorityOf(b));
}
