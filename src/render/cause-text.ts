import { authorName, authorsIn, changedByText, namesOfAuthors } from "../plan/cause/author.ts";
import { causesIn, causesOf } from "../plan/cause/cause.ts";
import { type Cause, causes, type Change, type Verb } from "../plan/change.ts";
import type { Impact } from "../state/drift.ts";
import { durationText, printable } from "./format.ts";

/** Causes in words: `drift and pending`, `cause unknown`; "" for none. */
export function causeWords(found: readonly Cause[]): string {
  return causes
    .filter((cause) => found.includes(cause))
    .map((cause) => (cause === "unknown" ? "cause unknown" : cause))
    .join(" and ");
}

/**
 * Why a change is needed, where not all changes of its plan have the same cause. A change with several causes has the
 * fields that each explains: `drift: action; pending: expression`.
 */
export function causeRemark(change: Change, changes: readonly Change[]): string {
  if (causesIn(changes).length < 2) return "";
  const found = causesOf(change);
  if (found.length === 1 || change.verb !== "update") return causeWords(found);
  return change.causes
    .map(({ cause, fields }) => `${causeWords([cause])}: ${fields.join(", ")}`)
    .join("; ");
}

/** What drift did to the protection, in words. */
export const driftWords = {
  weakens: "somebody lowered the protection",
  neutral: "somebody changed the zone",
  strengthens: "somebody raised the protection",
} as const satisfies Readonly<Record<Impact, string>>;

/** What somebody did, where the verb is what corrects it. */
const deeds: Readonly<Record<Verb, string>> = {
  create: "deleted",
  update: "changed",
  delete: "created",
};

/** What is said of drift whose author is not known, where the audit log was asked. */
const unknownAuthor = "cause unknown: the audit log names nobody";

/**
 * Who made the drift that a change corrects: `changed by alice@example.com in the dashboard, 14 min ago`. Authors of some
 * fields have their names. "" if the change corrects no drift, or the audit log was not asked.
 *
 * @param moment writes when it was: `14 min ago`.
 */
export function authorsText(
  change: Pick<Change, "verb" | "authors" | "causes" | "fields">,
  moment: (at: Date) => string,
): string {
  const { verb, authors, fields } = change;
  if (authors === undefined) return "";
  if (authors.length === 0) return causesOf(change).includes("drift") ? unknownAuthor : "";
  const hasOtherFields = verb === "update" && fields.length > 1;
  const groups = Map.groupBy(authors, (each) => `${each.isCertain} ${each.fields.join(", ")}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const what = hasOtherFields ? `${first.fields.map(printable).join(", ")} ` : "";
      const who = group.map(
        (author) => `by ${printable(authorName(author))}, ${moment(author.at)}`,
      );
      return [`${what}${first.isCertain ? "" : "possibly "}${deeds[verb]} ${who.join(" or ")}`];
    })
    .join("; ");
}

/** Writes moments relative to another, in their largest units: `14 min ago`. */
export function agoOf(now: Date): (at: Date) => string {
  return (at) => {
    const ms = Number(now) - Number(at);
    return ms < 1_000 ? "just now" : `${durationText(ms)} ago`;
  };
}

/** Who made the drift of changes, each once, without moments: for a line of a log. "" if nobody is known. */
export function authorsLine(changes: readonly Pick<Change, "authors">[]): string {
  return printable(namesOfAuthors(authorsIn(changes)));
}

/** Who made the drift of changes, as a part of a sentence: `possibly changed by …`. "" if nobody is known. */
export function changedByLine(changes: readonly Pick<Change, "authors">[]): string {
  return printable(changedByText(authorsIn(changes)));
}
