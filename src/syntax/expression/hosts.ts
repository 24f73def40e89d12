import { asciiLower } from "../by-text.ts";
import { globsMeet } from "../glob.ts";
import { expressionFields } from "./expression-fields.ts";
import {
  type Argument,
  type Comparison,
  type Expression,
  type Operand,
  type Value,
  nodesOf,
} from "./expression-tree.ts";
import { parseExpression } from "./expression.ts";

/** Some hosts, in lower case; `*` matches any run of characters. */
interface HostPatterns {
  readonly kind: "some";
  /** Sorted; a pattern without `*` is one host. */
  readonly patterns: readonly string[];
  /** Whether each of these hosts can be selected; otherwise only some of them. */
  readonly exact: boolean;
}

/**
 * The hosts of the requests that an expression can select, or a superset. `all`: the host does not
 * matter. `unknown`: it does, but not in a form that patterns can express.
 */
export type HostSet = HostPatterns | { readonly kind: "all" } | { readonly kind: "unknown" };

/** The hosts that `expression` can select; `unknown` if it is invalid. */
export function hostsOf(expression: Expression | string): HostSet {
  const tree = typeof expression === "string" ? parseExpression(expression).tree : expression;
  return tree === undefined ? unknown : hostsWhere(tree, true);
}

/** Whether a host is in both sets; `yes` and `no` are certain as far as the host decides. */
export function hostsOverlap(a: HostSet, b: HostSet): "yes" | "no" | "maybe" {
  if (isNone(a) || isNone(b)) return "no";
  const exact = [a, b].every((set) => (set.kind === "some" ? set.exact : set.kind === "all"));
  if (a.kind === "some" && b.kind === "some") {
    const pairs = meetingPairs(a.patterns, b.patterns);
    if (pairs === undefined) return "maybe";
    if (pairs.length === 0) return "no";
  }
  return exact ? "yes" : "maybe";
}

const all: HostSet = { kind: "all" };
const unknown: HostSet = { kind: "unknown" };

/** Maximum number of compared patterns; beyond it the result is cautious instead of slow. */
const maxPairs = 10_000;

/** Fields that contain or depend on the host: a condition on them is one on the host. */
const hostFields = new Set([
  "http.host",
  "http.request.full_uri",
  "raw.http.request.full_uri",
  "http.request.headers",
  "http.request.headers.values",
  "cf.zone.name",
  "cf.hostname.metadata",
]);

/** Hosts of the requests for which `expression` is `outcome`. */
function hostsWhere(expression: Expression, outcome: boolean): HostSet {
  switch (expression.kind) {
    case "constant":
      return expression.value === outcome ? all : some([], true);
    case "not":
      return hostsWhere(expression.item, !outcome);
    case "truth":
      return ofCondition(expression, outcome ? patternsOfCall(expression.operand) : undefined);
    case "comparison":
      return ofCondition(expression, patternsOfComparison(expression, outcome));
    case "logic": {
      if (expression.connective === "xor") return ofCondition(expression, undefined);
      const sets = expression.items.map((item) => hostsWhere(item, outcome));
      const isMeet = (expression.connective === "and") === outcome;
      return isMeet ? sets.reduce(meet) : join(sets);
    }
  }
}

function ofCondition(expression: Expression, patterns: readonly string[] | undefined): HostSet {
  if (patterns !== undefined) return some(patterns, true);
  const fields = nodesOf(expression).filter((node) => node.kind === "field");
  const isOnHost = fields.some(({ name }) => hostFields.has(name) || !expressionFields.has(name));
  return isOnHost ? unknown : all;
}

function patternsOfComparison(
  { left, operator, right }: Comparison,
  outcome: boolean,
): readonly string[] | undefined {
  if (!isHost(left)) return undefined;
  if (!outcome) return operator === "ne" ? literals([right]) : undefined;
  if (operator === "eq") return literals([right]);
  if (operator === "in") return right.kind === "set" ? literals(right.members) : undefined;
  if (operator === "contains") return literals([right])?.map((text) => `*${text}*`);
  return operator.endsWith("wildcard") ? wildcard(right) : undefined;
}

/** Functions on the host as patterns around their second argument. */
const functionPatterns: ReadonlyMap<string, readonly [before: string, after: string]> = new Map([
  ["starts_with", ["", "*"]],
  ["ends_with", ["*", ""]],
  ["contains", ["*", "*"]],
]);

function patternsOfCall(operand: Operand): readonly string[] | undefined {
  if (operand.kind !== "call" || operand.indexes.length > 0) return undefined;
  const around = functionPatterns.get(operand.name);
  const [subject, argument, ...more] = operand.arguments;
  if (around === undefined || argument?.kind !== "text" || more.length > 0) return undefined;
  if (!isHost(subject)) return undefined;
  return literals([argument])?.map((text) => around.join(text));
}

/** Whether this is the host, in any case. */
function isHost(node: Argument | undefined): boolean {
  if (node?.kind === "field") return node.name === "http.host" && node.indexes.length === 0;
  if (node?.kind !== "call" || node.indexes.length > 0) return false;
  const isFolded = node.name === "lower" || node.name === "upper";
  return isFolded && node.arguments.length === 1 && isHost(node.arguments[0]);
}

/** Texts as hosts in lower case; `undefined` if one of them is not plain ASCII. */
function literals(values: readonly Value[]): readonly string[] | undefined {
  const texts = values.map((value) => (value.kind === "text" ? asciiLower(value.text) : "*"));
  return texts.every((text) => /^[ -)+-~]*$/.test(text)) ? texts : undefined;
}

function wildcard(value: Value): readonly string[] | undefined {
  const isPlain = value.kind === "text" && /^[ -[\]-~]*$/.test(value.text);
  return isPlain ? [asciiLower(value.text)] : undefined;
}

function some(patterns: readonly string[], exact: boolean): HostPatterns {
  return { kind: "some", patterns: [...new Set(patterns)].toSorted(), exact };
}

function isNone(set: HostSet): boolean {
  return set.kind === "some" && set.patterns.length === 0;
}

function join(sets: readonly HostSet[]): HostSet {
  if (sets.some(({ kind }) => kind === "all")) return all;
  const known = sets.filter((set) => set.kind === "some");
  if (known.length < sets.length) return unknown;
  const patterns = known.flatMap((set) => set.patterns);
  return some(
    patterns,
    known.every(({ exact }) => exact),
  );
}

function meet(a: HostSet, b: HostSet): HostSet {
  if (a.kind === "all") return b;
  if (b.kind === "all") return a;
  if (a.kind === "unknown") return b.kind === "unknown" ? unknown : some(b.patterns, isNone(b));
  if (b.kind === "unknown") return some(a.patterns, isNone(a));
  const pairs = meetingPairs(a.patterns, b.patterns);
  if (pairs === undefined) return some(a.patterns, false);
  const common = pairs.map(([one, other]) => (one.includes("*") ? other : one));
  // No pattern expresses what two patterns have in common; the one that is kept matches more.
  const isSure = pairs.every(
    ([one, other]) => one === other || !one.includes("*") || !other.includes("*"),
  );
  return some(common, a.exact && b.exact && isSure);
}

/**
 * Pairs of `these` and `those` with a common host; `undefined` if there are too many to compare.
 */
function meetingPairs(
  these: readonly string[],
  those: readonly string[],
): readonly (readonly [string, string])[] | undefined {
  const globs = those.filter((text) => text.includes("*"));
  const ownGlobs = these.filter((text) => text.includes("*"));
  if (globs.length * these.length + ownGlobs.length * those.length > maxPairs) return undefined;
  const hosts = new Set(those);
  return these.flatMap((one) => {
    const candidates = one.includes("*") ? those : [...(hosts.has(one) ? [one] : []), ...globs];
    return candidates
      .filter((other) => globsMeet(one, other))
      .map((other): readonly [string, string] => [one, other]);
  });
}
