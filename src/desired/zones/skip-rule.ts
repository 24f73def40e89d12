import { byEntryName } from "../../syntax/by-text.ts";
import { rulesetIdOf } from "../../zone/managed-ruleset.ts";
import type { Rule, RuleBase, SkipParameters, SkipRule } from "../../zone/resource.ts";
import { contradiction, type Converted, missing, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import type { AnyRule, Merged } from "./merged-values.ts";
import type { YamlSkip } from "./zone-file.ts";

/** What `acknowledge` must contain for an exception that spares every request. */
export const everyRequest = "every-request";

/** What an exception skips, in a file: the custom phase has fewer members than the managed one. */
type SkipInFile = Merged<YamlSkip> & { readonly logging?: boolean | undefined };

/** A rule with an exception, of the managed or the custom phase. It acts against nothing, so that it has no steps. */
export function skipRuleOf(
  skip: SkipInFile,
  promote: object | undefined,
  base: RuleBase,
  path: Path,
): Converted<SkipRule> {
  const parameters = parametersOf(skip);
  const logging = skip.logging ?? true;
  const value = { ...base, action: "skip" as const, skip: parameters, logging };
  const diagnostics = [
    ...(promote === undefined
      ? []
      : [contradiction([...path, "promote"], promoted, "delete it here")]),
    ...(skipsNothing(parameters)
      ? [missing([...path, "skip"], "what the exception skips", nothingRemedy)]
      : excluded(parameters, [...path, "skip"])),
  ];
  return { value, diagnostics };
}

const promoted = '"promote" is for rules that act against requests';

const nothingRemedy = "add what it skips, like `ruleset: current`";

/** Members of an exception that exclude each other (SERVICE.md B.10). */
const exclusions = [
  ["phase", "ruleset"],
  ["phase", "rulesets"],
  ["phase", "rules"],
  ["phase", "phases"],
  ["ruleset", "rulesets"],
  ["ruleset", "rules"],
  ["rulesets", "phases"],
] as const;

function excluded(skip: SkipParameters, path: Path): readonly UnplacedDiagnostic[] {
  const isGiven = (name: keyof SkipParameters): boolean =>
    skip[name] === true || Object.keys(skip[name]).length > 0;
  return exclusions
    .filter(([one, other]) => isGiven(one) && isGiven(other))
    .map(([one, other]) => {
      const message = `"${one}" excludes "${other}"`;
      return contradiction([...path, other], message, "keep one of the two, or write two rules");
    });
}

/** An exception for every request that does not acknowledge it. */
export function skipsEveryRequest(
  { key, acknowledge }: AnyRule,
  path: Path,
): readonly UnplacedDiagnostic[] {
  if (acknowledge?.includes(everyRequest) === true) return [];
  const found: UnplacedDiagnostic = {
    code: "SKIP_EVERY_REQUEST",
    path: [...path, "skip"],
    atKey: true,
    message: `the exception "${key}" spares every request`,
    remedy: `add an \`expression\`, or \`acknowledge: [${everyRequest}]\` if you mean it`,
  };
  return [found];
}

/**
 * Exceptions that match no rule after them: a skip rule acts on later rules only (SERVICE.md B.4).
 */
export function skipsWithoutEffect(
  items: readonly Rule[],
  list: Path,
): readonly UnplacedDiagnostic[] {
  return items.flatMap((rule, index) => {
    if (rule.action !== "skip" || skipsBeyondEntrypoint(rule.skip)) return [];
    const isAffected = (other: Rule): boolean =>
      other.action === "execute" && isSkipped(rule.skip, other.ruleset);
    if (items.slice(index + 1).some(isAffected)) return [];
    return [
      {
        code: "SKIP_WITHOUT_EFFECT" as const,
        path: [...list, rule.key],
        message: `no rule after "${rule.key}" is affected by it`,
        remedy: "move it with `before:` and the key of the rule that it is an exception to",
      },
    ];
  });
}

/** Whether a rule leaves nothing to do to a later one, for the requests that it selects. */
export function endsFor(rule: Rule, later: Rule): boolean {
  if (rule.action === "execute" || rule.action === "log") return false;
  if (rule.action === "skip") return rule.skip.ruleset || rule.skip.phase || covers(rule, later);
  // Below its rate, a request goes on to the next rule.
  return rule.ratelimit === undefined;
}

/** Whether an exception skips everything that another one skips. */
export function covers(wide: Rule, narrow: Rule): boolean {
  if (wide.action !== "skip" || narrow.action !== "skip") return false;
  const [a, b] = [wide.skip, narrow.skip];
  const isWhole = a.phase || a.ruleset;
  const hasRules = Object.entries(b.rules).every(
    ([ruleset, ids]) =>
      a.rulesets.includes(ruleset) || ids.every((id) => a.rules[ruleset]?.includes(id) === true),
  );
  return (
    (a.phase || !b.phase) &&
    (isWhole || (!b.ruleset && hasRules && isSubset(b.rulesets, a.rulesets))) &&
    isSubset(b.phases, a.phases) &&
    isSubset(b.products, a.products)
  );
}

function isSubset(narrow: readonly string[], wide: readonly string[]): boolean {
  return narrow.every((each) => wide.includes(each));
}

function parametersOf(skip: Merged<YamlSkip>): SkipParameters {
  const rules = Object.entries(skip.rules ?? {})
    .filter(([, ids]) => ids.length > 0)
    .map(([ruleset, ids]) => [rulesetId(ruleset), unique(ids)] as const);
  return {
    ruleset: skip.ruleset === "current",
    phase: skip.phase === "current",
    rulesets: unique((skip.rulesets ?? []).map(rulesetId)),
    rules: Object.fromEntries(rules.toSorted(byEntryName)),
    phases: unique(skip.phases ?? []),
    products: unique(skip.products ?? []),
  };
}

/** The id of a managed ruleset given by its name or id. */
function rulesetId(name: string): string {
  return rulesetIdOf(name) ?? name;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted();
}

function skipsNothing(skip: SkipParameters): boolean {
  const named = [skip.rulesets, Object.keys(skip.rules), skip.phases, skip.products].flat();
  return !skip.ruleset && !skip.phase && named.length === 0;
}

/**
 * Whether it skips something outside of this entry point, so that the order of its rules does not
 * matter.
 */
function skipsBeyondEntrypoint({ phase, phases, products }: SkipParameters): boolean {
  return phase || phases.length > 0 || products.length > 0;
}

function isSkipped(skip: SkipParameters, ruleset: string): boolean {
  return skip.ruleset || skip.rulesets.includes(ruleset) || Object.hasOwn(skip.rules, ruleset);
}
