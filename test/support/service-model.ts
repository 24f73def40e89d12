import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import type { Position, Write } from "../../src/plan/write.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../src/syntax/json.ts";
import type {
  LiveEntrypoint,
  LivePolicy,
  LiveRule,
  LiveRuleAction,
  LiveZone,
} from "../../src/zone/live.ts";
import type { Overrides, SkipParameters } from "../../src/zone/resource.ts";

/** An object as the service speaks it. */
export type Wire = JsonObject;

/**
 * The service in one pure function: the state that a write leads to, by the words of the specification and of
 * api-facts A.6, B.3, B.4 and B.5. It knows nothing of the program's own client, and throws where the service
 * would refuse.
 */
export function afterWrite(live: LiveZone, write: Write): LiveZone {
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
    case "put-entrypoint":
      return { ...live, entrypoint: afterRules(live.entrypoint, write) };
  }
}

/** The states that a zone goes through while writes are carried out, the first and the last included. */
export function statesOf(live: LiveZone, writes: readonly Write[]): readonly LiveZone[] {
  const states = [live];
  for (const write of writes) states.push(afterWrite(states.at(-1) ?? live, write));
  return states;
}

/** A rule as the program's model has it, from the service's words. */
export function ruleOfWire(wire: Wire): LiveRule {
  return {
    id: text(wire["id"]),
    ref: text(wire["ref"]),
    version: text(wire["version"]),
    description: text(wire["description"]),
    expression: text(wire["expression"]),
    enabled: wire["enabled"] !== false,
    does: actionOfWire(wire),
    wire,
  };
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

/** A partial PUT is not reliable (api-facts A.6): it is refused here. */
function policyOfWire(id: string, body: Wire): LivePolicy {
  const missing = policyFields.filter((field) => !(field in body));
  if (missing.length > 0) throw new Error(`400: a policy without ${missing.join(", ")}`);
  const rest = Object.entries(body).filter(([name]) => !policyFields.includes(name));
  return {
    id,
    description: text(body["description"]),
    action: text(body["action"]),
    expression: text(body["expression"]),
    enabled: body["enabled"] === true,
    value: text(body["value"]),
    rest: Object.fromEntries(rest),
  };
}

function idFor(live: LiveZone, body: Wire): string {
  return digest([body, policiesOf(live).map(({ id }) => id)]);
}

type RuleWrite = Extract<
  Write,
  { readonly call: "create-rule" | "update-rule" | "delete-rule" | "put-entrypoint" }
>;

function afterRules(live: LiveEntrypoint | undefined, write: RuleWrite): LiveEntrypoint {
  if (live === undefined) throw new Error("the entry point was not read");
  const rules = checked(listAfter(live, write));
  if (live.state === "absent") return { state: "present", id: "ep", version: "1", rules };
  const isSame = isDeepStrictEqual(rules, live.rules);
  return { ...live, version: isSame ? live.version : String(Number(live.version) + 1), rules };
}

function listAfter(live: LiveEntrypoint, write: RuleWrite): readonly LiveRule[] {
  if (write.call === "put-entrypoint") {
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

/** PATCH replaces the rule; the one exception is a body with only a position (api-facts B.4). */
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

function placed(
  rules: readonly LiveRule[],
  rule: LiveRule,
  position: Position,
): readonly LiveRule[] {
  if ("index" in position) return rules.toSpliced(position.index - 1, 0, rule);
  if ("before" in position) {
    const at = position.before === "" ? 0 : indexOf(rules, position.before);
    return rules.toSpliced(at, 0, rule);
  }
  const at = position.after === "" ? rules.length : indexOf(rules, position.after) + 1;
  return rules.toSpliced(at, 0, rule);
}

/** A rule keeps its identity by id or ref; a changed ref makes a new one (api-facts B.4). */
function stored(body: Wire, before: readonly LiveRule[], index: number): LiveRule {
  const serverMade = ["version", "last_updated", "categories"].filter((name) => name in body);
  if (serverMade.length > 0) throw new Error(`400: unknown field ${serverMade.join(", ")}`);
  const same = before.find(({ id, ref }) =>
    body["id"] === undefined ? ref === body["ref"] : id === body["id"],
  );
  if (same !== undefined && "ref" in body && same.ref !== body["ref"]) {
    throw new Error("a changed ref makes a new rule");
  }
  const id = same?.id ?? digest([body, index, before.map((rule) => rule.id)]);
  const content: Record<string, Json> = { ref: same?.ref ?? id, description: "", ...body, id };
  if (content["action"] === "skip") content["logging"] ??= { enabled: true };
  const isSame =
    same !== undefined && isDeepStrictEqual({ ...content, ...serverFields(same) }, same.wire);
  if (isSame) return same;
  const version = same === undefined ? 1 : Number(same.version) + 1;
  return ruleOfWire({
    ...content,
    version: String(version),
    last_updated: `2026-11-21T10:00:${String(version).padStart(2, "0")}Z`,
  });
}

function serverFields({ wire }: LiveRule): Wire {
  return Object.fromEntries(
    Object.entries(wire).filter(([name]) =>
      ["version", "last_updated", "categories"].includes(name),
    ),
  );
}

/** What the service refuses of a list (api-facts B.4, B.5, B.8). */
function checked(rules: readonly LiveRule[]): readonly LiveRule[] {
  const refs = new Set(rules.map(({ ref }) => ref));
  if (refs.size !== rules.length) throw new Error("400: a ref twice");
  const deployed = rules.flatMap(({ does }) => (does.action === "execute" ? does.ruleset : []));
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

function actionOfWire(wire: Wire): LiveRuleAction {
  const parameters = isJsonObject(wire["action_parameters"]) ? wire["action_parameters"] : {};
  switch (wire["action"]) {
    case "execute":
      return {
        action: "execute",
        ruleset: text(parameters["id"]),
        overrides: overridesOfWire(object(parameters["overrides"])),
      };
    case "skip":
      return {
        action: "skip",
        skip: skipOfWire(parameters),
        logging: object(wire["logging"])["enabled"] !== false,
      };
    default:
      return { action: "other", name: text(wire["action"]) };
  }
}

function overridesOfWire(wire: Wire): Overrides {
  return {
    ...switches(wire),
    categories: objects(wire["categories"]).map((each) => ({
      category: text(each["category"]),
      ...switches(each),
    })),
    rules: objects(wire["rules"])
      .map((each) => ({
        id: text(each["id"]),
        ...switches(each),
        score_threshold:
          typeof each["score_threshold"] === "number" ? each["score_threshold"] : undefined,
      }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

function switches(wire: Wire): Pick<Overrides, "enabled" | "action" | "sensitivity_level"> {
  const { enabled, action, sensitivity_level: level } = wire;
  return {
    enabled: typeof enabled === "boolean" ? enabled : undefined,
    action: typeof action === "string" ? action : undefined,
    sensitivity_level: typeof level === "string" ? level : undefined,
  };
}

function skipOfWire(wire: Wire): SkipParameters {
  const rules = Object.entries(object(wire["rules"])).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ruleset: wire["ruleset"] === "current",
    phase: wire["phase"] === "current",
    rulesets: texts(wire["rulesets"]),
    rules: Object.fromEntries(rules.map(([ruleset, ids]) => [ruleset, texts(ids)])),
    phases: texts(wire["phases"]),
    products: texts(wire["products"]),
  };
}

function indexOf(list: readonly { readonly id: string }[], id: string): number {
  const index = list.findIndex((each) => each.id === id);
  if (index < 0) throw new Error(`404: ${id}`);
  return index;
}

function digest(value: Json): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function flag(value: Json | undefined, otherwise: boolean): boolean {
  return typeof value === "boolean" ? value : otherwise;
}

function object(value: Json | undefined): Wire {
  return isJsonObject(value) ? value : {};
}

function objects(value: Json | undefined): readonly Wire[] {
  return Array.isArray(value) ? value.filter((each) => isJsonObject(each)) : [];
}

function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map((each: Json) => text(each)).toSorted() : [];
}
