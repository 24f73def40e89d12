import { entrypointOf } from "../../src/api/read/parse-entrypoint.ts";
import { policiesOf, settingsOf } from "../../src/api/read/parse-page-shield.ts";
import { type Json, isJsonObject } from "../../src/syntax/json.ts";
import type { LiveEntrypoint, LivePolicy, LiveZone } from "../../src/zone/live-zone.ts";
import type { Wire } from "./wire-model.ts";

/** Decides among spellings: a number from 0 to 99 each time. */
export type Dice = Iterator<number>;

/** A state as the program's client reads it from an answer that spells the same things in another way. */
export function respelled(live: LiveZone, dice: Dice): LiveZone {
  return {
    ...live,
    settings: live.settings && settingsOf(settingsWire(live.settings, dice)),
    policies:
      live.policies &&
      policiesOf(shuffled(live.policies, dice).map((each) => policyWire(each, dice))),
    entrypoints: Object.fromEntries(
      Object.entries(live.entrypoints).map(([phase, each]) => [phase, entrypointRead(each, dice)]),
    ),
  };
}

function settingsWire(settings: NonNullable<LiveZone["settings"]>, dice: Dice): Wire {
  const { use_cloudflare_reporting_endpoint: endpoint, ...rest } = settings;
  const name = toss(dice) ? "use_cloudflare_reporting_endpoint" : "use_service_reporting_endpoint";
  return { ...rest, [name]: endpoint, updated_at: "2026-11-21T10:00:00.000000Z" };
}

function policyWire(policy: LivePolicy, dice: Dice): Wire {
  const { rest, ...fields } = policy;
  return {
    ...rest,
    ...fields,
    enabled: toss(dice) ? policy.enabled : String(policy.enabled),
    expression: toss(dice) ? policy.expression : ` ${policy.expression}\n`,
    value: cspSpelled(policy.value, dice),
  };
}

/** Directives and sources in another order, in capitals, with more space and semicolons, and a repeated directive. */
function cspSpelled(value: string, dice: Dice): string {
  const directives = value.split("; ").map((directive) => {
    const [name = "", ...sources] = directive.split(" ");
    const words = [toss(dice) ? name : name.toUpperCase(), ...shuffled(sources, dice)];
    return words
      .map((word) => (toss(dice) ? word : word.toUpperCase()))
      .join(toss(dice) ? " " : " \n ");
  });
  const [first = ""] = directives;
  const [name = ""] = first.split(/\s/);
  const repeated = toss(dice) ? [] : [`${name} evil.example`];
  const rest = shuffled(directives.slice(1), dice);
  return [first, ...rest, ...repeated].join(toss(dice) ? ";" : " ;; ");
}

function entrypointRead(live: LiveEntrypoint, dice: Dice): LiveEntrypoint | undefined {
  if (live.state === "absent") return live;
  const rules = live.rules.map(({ wire }) => ruleWire(wire, dice));
  const list = rules.length === 0 && toss(dice) ? {} : { rules };
  return entrypointOf({ id: live.id, version: live.version, name: "default", ...list });
}

/** Empty lists stated or left out, defaults stated or left out, switches in another order where order has no meaning. */
function ruleWire(wire: Wire, dice: Dice): Wire {
  const { enabled, description, logging, ...rest } = wire;
  const parameters = isJsonObject(wire["action_parameters"])
    ? wire["action_parameters"]
    : undefined;
  return {
    ...rest,
    ...(enabled === true && toss(dice) ? {} : { enabled: enabled ?? true }),
    ...(description === "" && toss(dice) ? {} : { description: description ?? "" }),
    ...(logging === undefined || (isOn(logging) && toss(dice)) ? {} : { logging }),
    ...(parameters && { action_parameters: parametersSpelled(wire["action"], parameters, dice) }),
  };
}

function parametersSpelled(action: Json | undefined, parameters: Wire, dice: Dice): Wire {
  if (action === "skip") {
    return { ...(toss(dice) ? { rulesets: [], phases: [], rules: {} } : {}), ...parameters };
  }
  if (action !== "execute") return parameters;
  const { overrides, ...rest } = parameters;
  const given = isJsonObject(overrides) ? overrides : {};
  const spelled = {
    ...given,
    ...emptyOr(given, "rules", dice, (list) => shuffled(list, dice)),
    ...emptyOr(given, "categories", dice, (list) => recipe(list, dice)),
  };
  return Object.keys(spelled).length === 0 && toss(dice) ? rest : { ...rest, overrides: spelled };
}

function emptyOr(
  overrides: Wire,
  name: string,
  dice: Dice,
  spell: (list: readonly Json[]) => readonly Json[],
): Wire {
  const list: Json | undefined = overrides[name];
  if (Array.isArray(list)) return { [name]: spell(list) };
  return toss(dice) ? { [name]: [] } : {};
}

/** The usual recipe names only the levels that are off (SERVICE.md B.7). */
function recipe(categories: readonly Json[], dice: Dice): readonly Json[] {
  const isOneOn = isJsonObject(categories[0]) && categories[0]["category"] === "paranoia-level-1";
  const last = categories.at(-1);
  const isOneOff = isJsonObject(last) && last["category"] === "paranoia-level-4";
  if (!isOneOn || !isOneOff || last["enabled"] !== false || toss(dice)) return categories;
  return categories.filter((each) => !isSwitchedOn(each));
}

function isSwitchedOn(json: Json): boolean {
  if (!isJsonObject(json)) return false;
  const { category, enabled } = json;
  return typeof category === "string" && category.startsWith("paranoia-level-") && enabled === true;
}

function isOn(logging: Json): boolean {
  return isJsonObject(logging) && logging["enabled"] !== false;
}

function toss(dice: Dice): boolean {
  return roll(dice) < 50;
}

function roll(dice: Dice): number {
  const value: unknown = dice.next().value;
  return typeof value === "number" ? value : 0;
}

function shuffled<T>(list: readonly T[], dice: Dice): readonly T[] {
  return list
    .map((each) => [roll(dice), each] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, each]) => each);
}
