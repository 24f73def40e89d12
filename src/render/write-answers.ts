import { firstBlock, type LinkAnswer, writeLinks } from "../plan/guard/may-write.ts";
import {
  coerceObject,
  coerceObjects,
  coerceText,
  coerceTexts,
  type JsonObject,
} from "../syntax/json.ts";
import { plural } from "./format.ts";
import { withoutControls } from "./terminal-safe.ts";

/** Whether a zone may be written, as it is printed and sent. */
export interface WriteAnswer {
  readonly zone: string;
  /** How many changes the zone needs. */
  readonly changes: number;
  readonly links: readonly LinkAnswer[];
  /** What is not at its last step, and what it waits for; `undefined`: only the daemon knows. */
  readonly steps: readonly string[] | undefined;
}

/** `/api/v1/zones/:name/write`, and `explain zone --format json`. */
export function answersJson({ zone, changes, links, steps }: WriteAnswer): JsonObject {
  const block = firstBlock(links);
  return {
    zone,
    changes,
    blocked_by: block?.link ?? null,
    links: links.map(({ link, answer, reason, remedy }) => ({ link, answer, reason, remedy })),
    steps: steps ?? null,
  };
}

/** Reads what a daemon sent; `undefined`: it is no such answer. */
export function answersIn(value: unknown): WriteAnswer | undefined {
  const { zone, changes, links, steps } = coerceObject(value);
  const found = coerceObjects(links).flatMap((each) => {
    const link = writeLinks.find((known) => known === each["link"]);
    const answer = answers.find((known) => known === each["answer"]);
    if (link === undefined || answer === undefined) return [];
    const [reason, remedy] = [coerceText(each["reason"]), coerceText(each["remedy"])];
    return [{ link, answer, reason, remedy }];
  });
  const isWhole = writeLinks.every((link, at) => found[at]?.link === link);
  if (typeof changes !== "number" || coerceText(zone) === "" || !isWhole) return undefined;
  const left = steps === null ? undefined : coerceTexts(steps);
  return { zone: coerceText(zone), changes, links: found, steps: left };
}

const answers = ["passed", "partly", "blocked", "unknown"] as const;

const signs: Readonly<Record<LinkAnswer["answer"], string>> = {
  passed: "✓",
  partly: "~",
  blocked: "✗",
  unknown: "?",
};

const width = Math.max(...writeLinks.map((link) => link.length));

/** The chain for people: each link, and of one that blocks its reason and remedy. */
export function answersText(asked: WriteAnswer): string {
  const { zone, links, steps = [] } = asked;
  const first = firstBlock(links);
  const lines = links.flatMap((each) => {
    const { link, answer, reason, remedy } = each;
    const mark = each === first ? ">" : " ";
    const name = `${mark} ${signs[answer]} ${link.padEnd(width)}`;
    if (answer === "passed") return name.trimEnd();
    if (answer === "unknown") return `${name}  only the running daemon knows`;
    const indent = " ".repeat(name.length + 2);
    return [`${name}  ${withoutControls(reason)}`, `${indent}${withoutControls(remedy)}`];
  });
  return [
    `${withoutControls(zone)}  ${headlineOf(asked)}`,
    ...lines,
    ...steps.map(withoutControls),
  ].join("\n");
}

/** The answer in one line. */
export function headlineOf({ changes, links, steps }: Omit<WriteAnswer, "zone">): string {
  const block = firstBlock(links);
  const may = block === undefined ? "may be written" : `not written: blocked by ${block.link}`;
  const isHeld = links.some(({ answer }) => answer === "partly");
  return [
    changes === 0 ? "nothing to write" : `${plural(changes, "change")} to write`,
    ...(changes === 0 && block === undefined ? [] : [may]),
    ...(isHeld ? ["changes of a revision wait"] : []),
    ...(steps === undefined ? ["only the running daemon knows the steps"] : []),
  ].join("; ");
}
