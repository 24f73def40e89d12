import { millisecondsOf } from "../../syntax/duration.ts";
import { hourMs, minuteMs } from "../../syntax/time-units.ts";
import { namedThresholds } from "../../zone/managed-ruleset.ts";
import type { Promotion, PromotedField, StepConditions, StepValue } from "../../zone/promotion.ts";
import { paranoiaLevels } from "../../zone/resource.ts";
import { contradiction, type Converted, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import type { Merged } from "./merged-values.ts";
import type { YamlManagedPromotion, YamlPolicyPromotion, YamlRulePromotion } from "./zone-file.ts";

type PromotionInFile = Merged<YamlPolicyPromotion | YamlRulePromotion | YamlManagedPromotion>;

/** The steps of actions of policies, the weakest first. */
export const policySteps: readonly StepValue[] = ["log", "allow"];

/** The same of rules, by the field. */
export const ruleSteps: Readonly<Record<PromotedField, readonly StepValue[]>> = {
  action: ["log", "managed_challenge", "block"],
  paranoia_level: paranoiaLevels,
  score_threshold: Object.values(namedThresholds),
};

/** What has steps. */
interface Promoted {
  readonly key: string;
  readonly enabled: boolean;
  /** The declared value, or `to` in its place. */
  readonly value: StepValue | undefined;
}

/** A step as the service has it. */
export function stepValueOf(value: StepValue | undefined): StepValue | undefined {
  const named = Object.entries(namedThresholds).find(([name]) => name === value);
  return named?.[1] ?? value;
}

/**
 * The steps of a policy or rule; no value if it has none, or if they are wrong.
 *
 * @param order all steps that the field can have, the weakest first
 */
export function promotionOf(
  promote: PromotionInFile | undefined,
  field: PromotedField,
  order: readonly StepValue[],
  promoted: Promoted,
  above: Path,
): Converted<Promotion | undefined> {
  if (promote === undefined) return { value: undefined, diagnostics: [] };
  const path = [...above, "promote"];
  const { from, after, when, watch = "24h", rollback, force = false } = promote;
  const afterMs = millisecondsOf(after);
  const diagnostics = [
    ...(promoted.enabled ? [] : [disabled(promoted, path)]),
    ...otherEnd(promote, field, promoted, path),
    ...wrongSteps(from, field, order, promoted, path),
    ...tooShort(afterMs, force, [...path, "after"]),
  ];
  const steps = stepsIn(from, order, promoted.value);
  if (diagnostics.length > 0 || steps === undefined) return { value: undefined, diagnostics };
  const value: Promotion = {
    field,
    steps,
    afterMs,
    when: when === "time_only" ? when : conditionsOf(when),
    watchMs: millisecondsOf(watch),
    rollback: rollback && {
      ratePer10k: rateIn(rollback) ?? 0,
      requestsAtLeast: rollback.requests_at_least ?? usualRequests,
    },
    at: undefined,
  };
  return { value, diagnostics };
}

/** Fewer requests tell nothing of a rate. */
const usualRequests = 1_000;

type LimitsInFile = Exclude<PromotionInFile["when"], string>;

function conditionsOf(limits: LimitsInFile): StepConditions {
  return {
    ratePer10k: rateIn(limits),
    unknownScripts: "unknown_scripts" in limits ? limits.unknown_scripts : undefined,
    requestsAtLeast: limits.requests_at_least ?? usualRequests,
  };
}

function rateIn(limits: {
  readonly violations_per_10k_requests?: number;
  readonly events_per_10k_requests?: number;
}): number | undefined {
  return limits.violations_per_10k_requests ?? limits.events_per_10k_requests;
}

/** The steps from the first one to the declared one; `undefined` if that is not a way. */
function stepsIn(
  from: StepValue,
  order: readonly StepValue[],
  value: StepValue | undefined,
): Promotion["steps"] | undefined {
  if (value === undefined) return undefined;
  const [start, end] = [stepValueOf(from) ?? from, value].map((each) => order.indexOf(each));
  if (start === undefined || end === undefined || start < 0) return undefined;
  const [first, second, ...others] = order.slice(start, end + 1);
  return first === undefined || second === undefined ? undefined : [first, second, ...others];
}

/** Steps that are none, or do not rise. */
function wrongSteps(
  from: StepValue,
  field: PromotedField,
  order: readonly StepValue[],
  { key, value }: Promoted,
  path: Path,
): readonly UnplacedDiagnostic[] {
  if (value === undefined || stepsIn(from, order, value) !== undefined) return [];
  const code = "PROMOTION_STEPS";
  const known = order.join(", ");
  const end = order.indexOf(value);
  if (end < 0) {
    const message = `no steps lead to the ${field} ${value} of "${key}": the steps are ${known}`;
    const remedy = `declare one of ${order.slice(1).join(", ")}, or delete \`promote\``;
    return [{ code, path, atKey: true, message, remedy }];
  }
  const at = [...path, `from`];
  const earlier = order.slice(0, end);
  const remedy =
    earlier.length === 0
      ? "delete `promote`: the declared value is the first step"
      : `write one before ${value}: ${earlier.join(", ")}`;
  const isStep = order.includes(stepValueOf(from) ?? from);
  const message = isStep
    ? `the steps of "${key}" do not rise: they begin with ${from} and end with ${value}`
    : `${from} is no step of ${field}: the steps are ${known}`;
  return [{ code, path: at, message, remedy }];
}

/** `to` beside another declared value. */
function otherEnd(
  { to }: PromotionInFile,
  field: PromotedField,
  { key, value }: Promoted,
  path: Path,
): readonly UnplacedDiagnostic[] {
  if (to === undefined || value === undefined || stepValueOf(to) === value) return [];
  const message = `the steps end with ${to}, and "${key}" declares the ${field} ${value}`;
  return [contradiction([...path, "to"], message, `delete \`to\`, or declare ${to}`)];
}

function disabled({ key }: Promoted, path: Path): UnplacedDiagnostic {
  const message = `"${key}" is disabled: none of its steps is ever in force`;
  return contradiction(path, message, "enable it, or delete `promote`");
}

function tooShort(afterMs: number, force: boolean, path: Path): readonly UnplacedDiagnostic[] {
  if (afterMs >= (force ? minuteMs : hourMs)) return [];
  const message = `a step is measured for at least ${force ? "1m" : "1h"}`;
  const remedy = force ? "write 1m or more" : "write 1h or more, or add `force: true` for a trial";
  return [{ code: "WRONG_VALUE", path, message, remedy }];
}
