import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import { ruleOf } from "../../src/api/read/parse-entrypoint.ts";
import { canonicalJson, coerceText, isJsonObject, type Json } from "../../src/syntax/json.ts";
import type { LiveEntrypoint, LivePolicy, LiveRule, LiveZone } from "../../src/zone/live-zone.ts";
import { positionIn, type RulePlace } from "../../src/zone/rule-place.ts";
import { isRulesetWrite, type Write } from "../../src/zone/write.ts";
import type { Wire } from "./wire-model.ts";

/**
 * The service in one pure function: the state that a write leads to, by SERVICE.md A.6, B.3, B.4 and B.5. It
 * sends nothing, and throws where the service would refuse. Rules are read as the program reads answers.
 */
export function afterWrite(live: LiveZone, write: Write): LiveZone {
  if (isRulesetWrite(write)) throw new Error("the model has no custom rulesets");
  switch (write.call) {
    case "update-settings":
      return { ...live, settings: afterSettings(live, write.body) };
    case "create-policy":
      return {
        ...live,
        policies: [...policiesOf(live), policyOfWire(idFor(live, write.body), write.body)],
      };
    case "update-policy":
      return {
        ...live,
        policies: policiesOf(live).with(
          indexOf(policiesOf(live), write.id),
          policyOfWire(write.id, write.body),
        ),
      };
    case "delete-policy":
      return { ...live, policies: policiesOf(live).filter(({ id }) => id !== write.id) };
    case "create-rule":
    case "update-rule":
    case "delete-rule":
    case "create-entrypoint":
    case "put-entrypoint":
      return {
        ...live,
        entrypoints: { [write.phase]: afterRules(live.entrypoints[write.phase], write) },
      };
  }
}

/** The states that a zone goes through while writes are carried out, the first and the last included. */
export function statesOf(live: LiveZone, writes: readonly Write[]): readonly LiveZone[] {
  const states = [live];
  for (const write of writes) states.push(afterWrite(states.at(-1) ?? live, write));
  return states;
}

function afterSettings(live: LiveZone, body: Wire): NonNullable<LiveZone["settings"]> {
  if (live.settings === undefined) throw new Error("settings were not read");
  const { enabled, use_cloudflare_reporting_endpoint, use_connection_url_path, ...unknown } = body;
  if (Object.keys(unknown).length > 0) throw new Error("400: unknown setting");
  return {
    enabled: flag(enabled, live.settings.enabled),
    use_cloudflare_reporting_endpoint: flag(
      use_cloudflare_reporting_endpoint,
      live.settings.use_cloudflare_reporting_endpoint,
    ),
    use_connection_url_path: flag(use_connection_url_path, live.settings.use_connection_url_path),
  };
}

function policiesOf(live: LiveZone): readonly LivePolicy[] {
  if (live.policies === undefined) throw new Error("policies were not read");
  return live.policies;
}

const policyFields = ["description", "action", "expression", "enabled", "value"];

/** A partial PUT is not reliable (SERVICE.md A.6): it is refused here. */
function policyOfWire(id: string, body: Wire): LivePolicy {
  const missing = policyFields.filter((field) => !(field in body));
  if (missing.length > 0) throw new Error(`400: a policy without ${missing.join(", ")}`);
  const rest = Object.entries(body).filter(([name]) => !policyFields.includes(name));
  return {
    id,
    description: coerceText(body["description"]),
    action: coerceText(body["action"]),
    expression: coerceText(body["expression"]),
    enabled: body["enabled"] === true,
    value: coerceText(body["value"]),
    rest: Object.fromEntries(rest),
  };
}

function idFor(live: LiveZone, body: Wire): string {
  return digest([body, policiesOf(live).map(({ id }) => id)]);
}

type RuleWrite = Extract<
  Write,
  {
    readonly call:
      | "create-rule"
      | "update-rule"
      | "delete-rule"
      | "create-entrypoint"
      | "put-entrypoint";
  }
>;

function afterRules(live: LiveEntrypoint | undefined, write: RuleWrite): LiveEntrypoint {
  if (live === undefined) throw new Error("the entry point was not read");
  const rules = checked(listAfter(live, write));
  if (live.state === "absent") return { state: "present", id: "ep", version: "1", rules };
  const isSame = isDeepStrictEqual(rules, live.rules);
  return { ...live, version: isSame ? live.version : String(Number(live.version) + 1), rules };
}

function listAfter(live: LiveEntrypoint, write: RuleWrite): readonly LiveRule[] {
  if (write.call === "create-entrypoint" && live.state === "present") throw new Error("400/20217");
  if (write.call === "create-entrypoint" || write.call === "put-entrypoint") {
    const before = live.state === "present" ? live.rules : [];
    return write.rules.map((body, index) => stored(body, before, index));
  }
  if (live.state === "absent" || write.ruleset !== live.id) throw new Error("404: no such ruleset");
  const { rules } = live;
  switch (write.call) {
    case "create-rule":
      return placed(rules, stored(write.body, rules, rules.length), write.position);
    case "delete-rule":
      return rules.toSpliced(indexOf(rules, write.id), 1);
    case "update-rule":
      return afterPatch(rules, write);
  }
}

/** PATCH replaces the rule; the one exception is a body with only a position (SERVICE.md B.4). */
function afterPatch(
  rules: readonly LiveRule[],
  write: Extract<Write, { readonly call: "update-rule" }>,
): readonly LiveRule[] {
  const index = indexOf(rules, write.id);
  const before = rules[index];
  if (before === undefined) throw new Error("404: no such rule");
  const isOnlyMoved = Object.keys(write.body).length === 0;
  const rule = isOnlyMoved ? before : stored({ ...write.body, id: write.id }, rules, index);
  if (write.position === null) return rules.with(index, rule);
  return placed(rules.toSpliced(index, 1), rule, write.position);
}

function placed(rules: readonly LiveRule[], rule: LiveRule, place: RulePlace): readonly LiveRule[] {
  const position = positionIn(place, rules);
  if (position === undefined) throw new Error("nothing to place a rule at");
  if ("before" in position) {
    const at = position.before === "" ? 0 : indexOf(rules, position.before);
    return rules.toSpliced(at, 0, rule);
  }
  const at = position.after === "" ? rules.length : indexOf(rules, position.after) + 1;
  return rules.toSpliced(at, 0, rule);
}

function stored(body: Wire, before: readonly LiveRule[], index: number): LiveRule {
  if (serverMade.some((name) => name in body)) throw new Error("400: unknown field");
  const same = sameRule(body, before);
  const id = same?.id ?? digest([body, index, before.map((rule) => rule.id)]);
  const logging = body["action"] === "skip" ? { logging: { enabled: true } } : {};
  const content = { ref: same?.ref ?? id, description: "", ...logging, ...body, id };
  if (same !== undefined && isDeepStrictEqual({ ...content, ...serverFields(same) }, same.wire)) {
    return same;
  }
  const version = Number(same?.version ?? 0) + 1;
  const second = String(version % 60).padStart(2, "0");
  return ruleOf({
    ...content,
    version: String(version),
    last_updated: `2026-11-21T10:00:${second}Z`,
  });
}

/** A rule keeps its identity by id or ref; a changed ref makes a new one (SERVICE.md B.4). */
function sameRule(body: Wire, before: readonly LiveRule[]): LiveRule | undefined {
  const same = before.find(({ id, ref }) =>
    body["id"] === undefined ? ref === body["ref"] : id === body["id"],
  );
  if (same !== undefined && same.ref !== (body["ref"] ?? same.ref)) {
    throw new Error("a changed ref makes a new rule");
  }
  return same;
}

const serverMade = ["version", "last_updated", "categories"];

function serverFields({ wire }: LiveRule): Wire {
  return Object.fromEntries(Object.entries(wire).filter(([name]) => serverMade.includes(name)));
}

/** What the service refuses of a list (SERVICE.md B.4, B.5, B.8). */
function checked(rules: readonly LiveRule[]): readonly LiveRule[] {
  const refs = new Set(rules.map(({ ref }) => ref));
  if (refs.size !== rules.length) throw new Error("400: a ref twice");
  const deployed = rules.flatMap(({ action: does }) =>
    does.type === "execute" ? does.ruleset : [],
  );
  if (new Set(deployed).size !== deployed.length) throw new Error("400/20014: deployed twice");
  for (const { wire } of rules) {
    const parameters = wire["action_parameters"];
    const overrides = isJsonObject(parameters) ? parameters["overrides"] : undefined;
    if (isJsonObject(overrides) && Object.keys(overrides).length === 0) {
      throw new Error("400: empty overrides");
    }
  }
  return rules;
}

function indexOf(list: readonly { readonly id: string }[], id: string): number {
  const index = list.findIndex((each) => each.id === id);
  if (index < 0) throw new Error(`404: ${id}`);
  return index;
}

function digest(value: Json): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);
}

function flag(value: Json | undefined, otherwise: boolean): boolean {
  return typeof value === "boolean" ? value : otherwise;
}
