import { firstOf } from "../../syntax/first-of.ts";
import { declaredOf, type ZoneContent } from "../../zone/desired-zone.ts";
import { isRuleKind, kindWords, type ListedKind, listedKinds } from "../../zone/resource.ts";
import { phaseOfKind } from "../../zone/rule-phase.ts";
import { type AppliedZone, isInListOf, wholeName } from "./applied-zone.ts";

/** What a kind is called, and its list in a zone file. */
function wordsOf(kind: ListedKind): { readonly title: string; readonly list: string } {
  if (kind === "policy") return { title: "policies", list: "page_shield.policies.items" };
  const list = isRuleKind(kind) ? `${phaseOfKind(kind)}.rules` : "custom_rulesets";
  return { title: `${kindWords(kind)}s`, list };
}

const ending = "are no longer declared. What is live of them stays, unmanaged";

/** Names of resources that a note lists. */
const maxNames = 5;

/** The stored names of policies and rules whose whole list is no longer declared. Nothing reads such a list. */
export function leftLiveNames(
  content: ZoneContent,
  applied: AppliedZone | undefined,
): readonly string[] {
  return listedKinds.flatMap((kind) => namesOf(kind, content, applied));
}

/** What the files declared before, and now neither as items nor as an empty list: a note for each kind. */
export function leftLiveNotes(
  content: ZoneContent,
  applied: AppliedZone | undefined,
): readonly string[] {
  return listedKinds.flatMap((kind) => {
    const { title, list } = wordsOf(kind);
    const code = wholeName(kind).slice(0, 2);
    const names = namesOf(kind, content, applied)
      .filter((name) => name.startsWith(code))
      .map((name) => name.slice(2));
    if (names.length === 0) return [];
    const remedy = `to delete those that zonewarden owns, declare ${list} as []`;
    return [`the ${title} ${firstOf(names, maxNames)} ${ending}; ${remedy}`];
  });
}

/** Whether a note is one of {@link leftLiveNotes}. */
export function isLeftLive(note: string): boolean {
  return note.includes(ending);
}

function namesOf(
  kind: ListedKind,
  content: ZoneContent,
  applied: AppliedZone | undefined,
): readonly string[] {
  if (declaredOf(content, kind) !== undefined) return [];
  return [...(applied?.keys() ?? [])].filter((name) => isInListOf(kind, name));
}
