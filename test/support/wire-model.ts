import { type Json, type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import type { LiveRule, RuleAction } from "../../src/zone/live-zone.ts";
import type { Overrides, RateLimit, SkipParameters } from "../../src/zone/resource.ts";

/** An object as the service speaks it. */
export type Wire = JsonObject;

/** A switch of a paranoia level. */
export function levelOn(level: number): Wire {
  return { category: `paranoia-level-${level}`, enabled: true };
}

export function levelOff(level: number): Wire {
  return { category: `paranoia-level-${level}`, enabled: false };
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
    action: actionOfWire(wire),
    ratelimit: isJsonObject(wire["ratelimit"]) ? rateLimitOfWire(wire["ratelimit"]) : undefined,
    wire,
  };
}

function actionOfWire(wire: Wire): RuleAction {
  const parameters = isJsonObject(wire["action_parameters"]) ? wire["action_parameters"] : {};
  const name = text(wire["action"]);
  switch (name) {
    case "execute":
      return {
        type: "execute",
        ruleset: text(parameters["id"]),
        overrides: overridesOfWire(object(parameters["overrides"])),
      };
    case "skip":
      return {
        type: "skip",
        skip: skipOfWire(parameters),
        logging: object(wire["logging"])["enabled"] !== false,
      };
    case "block":
    case "challenge":
    case "js_challenge":
    case "managed_challenge":
    case "log": {
      const given = parameters["response"];
      const response = isJsonObject(given)
        ? {
            status_code: Number(given["status_code"]),
            content_type: text(given["content_type"]),
            content: text(given["content"]),
          }
        : undefined;
      return { type: "mitigate", name, response };
    }
    default:
      return { type: "other", name };
  }
}

function rateLimitOfWire(wire: JsonObject): RateLimit {
  const numbers = (name: string): number | undefined =>
    wire[name] === undefined ? undefined : Number(wire[name]);
  return {
    characteristics: [...new Set(texts(wire["characteristics"]))].toSorted(),
    period: Number(wire["period"]),
    requests_per_period: numbers("requests_per_period"),
    mitigation_timeout: numbers("mitigation_timeout") ?? 0,
    counting_expression: text(wire["counting_expression"]),
    requests_to_origin: wire["requests_to_origin"] === true,
    score_per_period: numbers("score_per_period"),
    score_response_header_name: text(wire["score_response_header_name"]) || undefined,
  };
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

/** A text field; "" where it is none. */
export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
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
