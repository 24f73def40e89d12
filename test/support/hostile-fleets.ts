import * as fc from "fast-check";

import { isJsonObject } from "../../src/syntax/json.ts";
import type { LiveEntrypoint, LivePolicy, LiveRule, LiveZone } from "../../src/zone/live-zone.ts";
import { ofEachPhase, type RulePhase } from "../../src/zone/rule-phase.ts";
import { zoneId, zoneName } from "../../src/zone/zone.ts";
import { liveZones } from "./arbitrary-live.ts";
import { absent, entrypoint, liveRule } from "./model.ts";
import { type Dice, diceOf } from "./schema-documents.ts";

/** What the expressions of the zones of {@link liveZones} name. */
const hostInAll = "shop.example.com";

/**
 * Zones that have much in common, as those of one company, and odd texts: each has some of a few
 * policies and rules, with its own name in them, in an order that is sometimes another. The same for
 * the same seed.
 */
export function hostileFleet(seed: number, size: number): readonly LiveZone[] {
  const dice = diceOf(seed);
  const models = fc.sample(liveZones, { seed, numRuns: 6 });
  return Array.from({ length: size }, (_, index) => zoneOf(index, models, dice));
}

function zoneOf(index: number, models: readonly LiveZone[], dice: Dice): LiveZone {
  // The name of one is in that of another; two have the same name, of which one has moved.
  const isTwin = index === 7;
  const number = isTwin ? 3 : index;
  const text = [`z${number}.example`, `www.z${number - 1}.example`, `shop-${number}.co.example`];
  const name = zoneName(text[number % 3] ?? "");
  const id = zoneId(index.toString(16).padStart(32, "0"));
  if (name === undefined || id === undefined) throw new Error("no zone");
  const model = oneOf(models, dice);
  const { settings, scoreRule, zone } = model;
  const policies = models.flatMap((each) => each.policies ?? []).slice(0, 12);
  return {
    zone: { ...zone, name, id, status: isTwin ? "moved" : "active" },
    settings,
    scoreRule,
    policies: policies
      .filter((policy) => dice(3) > 0 && policy.description !== "")
      .map((policy) => renamedPolicy(policy, name)),
    entrypoints: ofEachPhase((phase) =>
      changed(oneOf(models, dice).entrypoints[phase], phase, name, dice),
    ),
  };
}

function oneOf(models: readonly LiveZone[], dice: Dice): LiveZone {
  // Most are as the first.
  const model = dice(3) > 0 ? models[0] : models[dice(models.length)];
  if (model === undefined) throw new Error("no zone");
  return model;
}

function renamedPolicy(policy: LivePolicy, name: string): LivePolicy {
  const renamed = (text: string): string => text.replaceAll(hostInAll, name);
  const { description, expression, value } = policy;
  return {
    ...policy,
    description: renamed(description.replace("Twin", `Twin of ${hostInAll}`)),
    expression: renamed(expression),
    value: renamed(value.replace("cdn.example.net", `cdn.${hostInAll}`)),
  };
}

function changed(
  found: LiveEntrypoint | undefined,
  phase: RulePhase,
  name: string,
  dice: Dice,
): LiveEntrypoint {
  if (found?.state !== "present") return absent;
  const rules = found.rules
    .filter(() => dice(12) > 0)
    .map((rule, index) => renamedRule(rule, `${phase}-${index}`, name));
  const isTurned = dice(6) === 0;
  const own = liveRule(`own-${name}`, {
    action: "block",
    description: `Only at ${name}`,
    expression: `http.request.uri.path eq "/${name}"`,
  });
  const withOwn =
    phase === "custom_rules" && dice(4) === 0 ? rules.toSpliced(dice(3), 0, own) : rules;
  return entrypoint(...(isTurned ? withOwn.toReversed() : withOwn));
}

function renamedRule({ wire }: LiveRule, id: string, name: string): LiveRule {
  const renamed: unknown = JSON.parse(JSON.stringify(wire).replaceAll(hostInAll, name));
  if (!isJsonObject(renamed)) throw new Error("no rule");
  return liveRule(id, renamed);
}
