import {
  coerceList,
  type Json,
  type JsonObject,
  isJsonList,
  isJsonObject,
} from "../../syntax/json.ts";
import { withRulesetId } from "../../zone/executed-ruleset.ts";
import {
  listAt,
  type LivePolicy,
  type LiveRule,
  type LiveZone,
  rulesIn,
} from "../../zone/live-zone.ts";
import { isInPlace, type RulePlace } from "../../zone/rule-place.ts";
import { isRulesetWrite, type CustomRulesetWrite, type Write } from "../../zone/write.ts";
import { withMarkOf } from "../policies/policy-match.ts";

/** Whether a zone is already as a write would leave it: the write was sent before, or somebody else made the same change. */
export function isAlreadyApplied(write: Write, live: LiveZone): boolean {
  if ("phase" in write) {
    if (isRulesetWrite(write)) return isRulesetApplied(write, live.customRulesets);
    const list = listAt(live, write);
    return list !== undefined && isRuleApplied(write, rulesIn(list), live);
  }
  if (write.call === "update-settings") {
    return live.settings !== undefined && includes({ ...live.settings }, write.body);
  }
  return live.policies !== undefined && isPolicyApplied(write, live.policies);
}

type PolicyWrite = Extract<
  Write,
  { readonly call: "create-policy" | "update-policy" | "delete-policy" }
>;

function isPolicyApplied(write: PolicyWrite, policies: readonly LivePolicy[]): boolean {
  switch (write.call) {
    case "create-policy": {
      const [made, ...others] = withMarkOf(write.body["description"], policies);
      return others.length === 0 && matchesPolicy(made, write.body);
    }
    case "update-policy":
      return matchesPolicy(
        policies.find(({ id }) => id === write.id),
        write.body,
      );
    case "delete-policy":
      return policies.every(({ id }) => id !== write.id);
  }
}

function matchesPolicy(policy: LivePolicy | undefined, body: JsonObject): boolean {
  if (policy === undefined) return false;
  const { rest, ...fields } = policy;
  return includes({ ...rest, ...fields }, body);
}

function isRulesetApplied(write: CustomRulesetWrite, live: LiveZone["customRulesets"]): boolean {
  if (live === undefined) return false;
  if (write.call === "delete-ruleset") return live.every(({ id }) => id !== write.ruleset);
  const description = write.body["description"];
  const made = live.filter((each) => each.description === description);
  if (write.call === "update-ruleset") return made.some(({ id }) => id === write.ruleset);
  const rules = coerceList(write.body["rules"]);
  return (
    made.length === 1 &&
    made.every((each) => {
      const wires = each.rules?.map(({ wire }) => wire);
      return wires?.length === rules.length && rules.every((rule, at) => includes(wires[at], rule));
    })
  );
}

type RuleWrite = Exclude<Extract<Write, { readonly phase: unknown }>, CustomRulesetWrite>;

function isRuleApplied(write: RuleWrite, rules: readonly LiveRule[], live: LiveZone): boolean {
  const sent = (body: JsonObject): JsonObject | undefined => withRulesetId(body, live);
  switch (write.call) {
    case "create-rule": {
      const { ref: made } = write.body;
      return isRuleAt(rules, ({ ref }) => ref === made, sent(write.body), write.position);
    }
    case "update-rule":
      return isRuleAt(rules, ({ id }) => id === write.id, sent(write.body), write.position);
    case "delete-rule":
      return rules.every(({ id }) => id !== write.id);
    case "create-entrypoint":
    case "put-entrypoint":
      return (
        rules.length === write.rules.length &&
        rules.every((rule, index) => isLive(rule, sent(write.rules[index] ?? {})))
      );
  }
}

function isRuleAt(
  rules: readonly LiveRule[],
  isTarget: (rule: LiveRule) => boolean,
  body: JsonObject | undefined,
  place: RulePlace | null,
): boolean {
  const index = rules.findIndex(isTarget);
  const rule = rules[index];
  if (rule === undefined || !isLive(rule, body)) return false;
  return place === null || isInPlace(place, index, rules);
}

/** `undefined`: the custom ruleset that the rule executes is not live. */
function isLive({ wire }: LiveRule, body: JsonObject | undefined): boolean {
  return body !== undefined && includes(wire, body);
}

/** Whether `live` includes everything in `wanted`; the service may add fields. */
function includes(live: Json | undefined, wanted: Json): boolean {
  if (isJsonList(wanted)) {
    return (
      isJsonList(live) &&
      live.length === wanted.length &&
      wanted.every((each, index) => includes(live[index], each))
    );
  }
  if (!isJsonObject(wanted)) return live === wanted;
  return (
    isJsonObject(live) &&
    Object.entries(wanted).every(([name, value]) => includes(live[name], value))
  );
}
