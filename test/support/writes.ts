import type { JsonObject } from "../../src/syntax/json.ts";
import type { LiveRule, LiveZone } from "../../src/zone/live-zone.ts";
import { managedRulesets } from "../../src/zone/managed-ruleset.ts";
import type { Write } from "../../src/zone/write.ts";
import { emulated, type Emulated, type EmulatedChoice, everything } from "./emulated.ts";

/** A policy that bears our mark. */
export const policy: JsonObject = {
  description: "Checkout [zonewarden:checkout]",
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  enabled: true,
  value: "script-src 'self' cdn.example.net",
};

/** A rule that deploys the OWASP ruleset. */
export const deployOwasp: JsonObject = {
  action: "execute",
  action_parameters: { id: managedRulesets.owasp, version: "latest" },
  expression: "true",
  enabled: true,
  description: "OWASP",
  ref: "zonewarden:owasp",
};

/** A write that the service refuses: a managed ruleset is deployed once in a phase. */
export const deployTwice: Write = {
  call: "put-entrypoint",
  phase: "managed_rules",
  rules: [deployOwasp, deployOwasp],
  changes: [],
};

const skip: JsonObject = {
  action: "skip",
  action_parameters: { ruleset: "current" },
  expression: 'http.request.uri.path eq "/health"',
  enabled: true,
  description: "Health checks",
  ref: "zonewarden:health",
  logging: { enabled: false },
};

/** A zone with settings, a policy made by hand and the OWASP ruleset. */
export function shop(choice: EmulatedChoice = {}): Promise<Emulated> {
  return emulated({ ...parts, entrypoint: [deployOwasp] }, choice);
}

/** The zone that a kind of write is for: one that creates an entry point needs a zone without it. */
export async function shopFor(call: Write["call"], choice: EmulatedChoice = {}): Promise<Emulated> {
  if (call === "create-entrypoint") return await emulated(parts, choice);
  if (!call.endsWith("-ruleset")) return await shop(choice);
  const rulesets = [teamRuleset, { ...teamRuleset, name: "Foreign", description: "Theirs" }];
  const service = await emulated({ ...parts, plan: "enterprise", rulesets }, choice);
  const wanted = { owner: "zonewarden", keys: [] };
  const withRulesets = { ...everything, customRulesets: wanted };
  const { reader, zone } = service;
  return { ...service, look: (signal) => reader.readZone(zone, withRulesets, "changed", signal) };
}

const blockAdmin: JsonObject = { action: "block", expression: "ssl", ref: "zonewarden:admin" };

/** A custom ruleset that bears our mark. */
const teamRuleset = {
  name: "payments",
  description: "Payments [zonewarden:payments]",
  kind: "custom",
  phase: "http_request_firewall_custom",
  rules: [blockAdmin, { ...blockAdmin, ref: "zonewarden:shop" }],
};

const ofTeam = (live: LiveZone) =>
  ({
    phase: "custom_rules",
    custom_ruleset: "payments",
    ruleset: live.customRulesets?.find(({ rules }) => rules !== undefined)?.id ?? "",
    changes: [],
  }) as const;

const parts = {
  settings: { enabled: false },
  policies: [{ ...policy, description: "By hand" }],
};

/** The entry point, empty where there is none. */
export function rulesetOf({ entrypoints: { managed_rules: entrypoint } }: LiveZone): {
  id: string;
  rules: readonly LiveRule[];
} {
  return entrypoint?.state === "present" ? entrypoint : { id: "", rules: [] };
}

function firstRule(live: LiveZone): LiveRule {
  const [rule] = rulesetOf(live).rules;
  if (rule === undefined) throw new Error("no rule");
  return rule;
}

/** Each kind of write, made for a zone as it is. */
export const writes: Readonly<Record<Write["call"], (live: LiveZone) => Write>> = {
  "update-settings": () => ({ call: "update-settings", body: { enabled: true }, changes: [] }),
  "create-policy": () => ({ call: "create-policy", body: policy, changes: [] }),
  "update-policy": (live) => ({
    call: "update-policy",
    id: live.policies?.[0]?.id ?? "",
    body: { ...policy, action: "allow", enabled: false },
    changes: [],
  }),
  "delete-policy": (live) => ({
    call: "delete-policy",
    id: live.policies?.[0]?.id ?? "",
    changes: [],
  }),
  "create-rule": (live) => ({
    call: "create-rule",
    phase: "managed_rules",
    ruleset: rulesetOf(live).id,
    body: skip,
    position: { after: "", behind: [], before: firstRule(live).ref },
    changes: [],
  }),
  "update-rule": (live) => ({
    call: "update-rule",
    phase: "managed_rules",
    ruleset: rulesetOf(live).id,
    id: firstRule(live).id,
    body: { ...deployOwasp, enabled: false },
    position: null,
    changes: [],
  }),
  "delete-rule": (live) => ({
    call: "delete-rule",
    phase: "managed_rules",
    ruleset: rulesetOf(live).id,
    id: firstRule(live).id,
    changes: [],
  }),
  "create-entrypoint": () => ({
    call: "create-entrypoint",
    phase: "managed_rules",
    rules: [skip, deployOwasp],
    changes: [],
  }),
  "put-entrypoint": (live) => ({
    call: "put-entrypoint",
    phase: "managed_rules",
    rules: [skip, { ...deployOwasp, id: firstRule(live).id }],
    changes: [],
  }),
  "create-ruleset": () => ({
    call: "create-ruleset",
    phase: "custom_rules",
    custom_ruleset: "shop",
    body: { name: "shop", description: "Shop [zonewarden:shop]", rules: [blockAdmin] },
    changes: [],
  }),
  "update-ruleset": (live) => ({
    call: "update-ruleset",
    ...ofTeam(live),
    body: { description: "Money [zonewarden:payments]" },
  }),
  "delete-ruleset": (live) => ({ call: "delete-ruleset", ...ofTeam(live) }),
};

/** The names of all kinds of writes. */
export const kinds = Object.keys(writes).filter((call): call is Write["call"] => call in writes);
