import type { SeedRuleset } from "../../src/emulator/seed/seed.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import { type RulePhase, rulePhases } from "../../src/zone/rule-phase.ts";

/** A policy as a zone file declares it. */
export interface DeclaredPolicy {
  readonly key: string;
  readonly description: string;
  readonly action: "allow" | "log";
  readonly expression: string;
  readonly value: string;
}

/** A rule that acts against requests, as a zone file declares it. */
export interface DeclaredMitigation {
  readonly key: string;
  readonly description: string;
  readonly expression: string;
  readonly action: "block" | "managed_challenge" | "log";
  readonly ratelimit?: JsonObject;
  readonly position?: Position;
}

/** A rule as a zone file declares it. */
export type DeclaredRule =
  | DeclaredMitigation
  | ({ readonly key: string; readonly description: string } & (
      | {
          readonly expression: string;
          /** Left out where no rule has another action. */
          readonly action?: "skip";
          readonly skip: { readonly ruleset: "current" } | { readonly phases: readonly string[] };
        }
      | {
          readonly deploy: "owasp" | "cloudflare";
          readonly paranoia_level?: number;
          readonly action?: "block";
        }
    ));

type Position = "first" | "last" | { readonly before: string } | { readonly after: string };

/** A custom ruleset as a zone file declares it. */
export interface DeclaredRuleset {
  readonly key: string;
  readonly description: string;
  readonly expression: string;
  readonly position?: Position;
  readonly rules: readonly DeclaredRule[];
}

/** A zone as its file declares it; what is `undefined` is not declared. */
export interface DeclaredContent {
  readonly enabled: boolean | undefined;
  readonly policies: readonly DeclaredPolicy[] | undefined;
  /** By phase. */
  readonly rules: Readonly<Partial<Record<RulePhase, readonly DeclaredRule[]>>>;
  readonly rulesets: readonly DeclaredRuleset[] | undefined;
  /** Phases with `unmanaged: delete`. */
  readonly pruned: readonly RulePhase[];
  readonly isSuspended: boolean;
}

export type DeclaredZones = Readonly<Record<string, DeclaredContent>>;

/** What a zone declares, where only some is declared. */
export function content(parts: Partial<DeclaredContent>): DeclaredContent {
  return {
    enabled: undefined,
    policies: undefined,
    rules: {},
    rulesets: undefined,
    pruned: [],
    isSuspended: false,
    ...parts,
  };
}

export const at = (path: string): string => `http.request.uri.path eq "${path}"`;

export function limitOf(requests: number): JsonObject {
  return {
    characteristics: ["cf.colo.id", "ip.src"],
    period: 60,
    requests_per_period: requests,
    mitigation_timeout: 600,
  };
}

export function entryPoint(phase: string, rules: readonly JsonObject[]): SeedRuleset {
  return { name: "default", kind: "zone", phase, rules };
}

/** A rule of somebody else. */
export function foreign(path: string): JsonObject {
  const description = `Somebody's rule of ${path}`;
  const ref = `theirs${path}`;
  return { action: "block", expression: at(path), enabled: true, description, ref };
}

/** A rule of ours as the service has it. */
export function ours({
  key,
  ...rule
}: Exclude<DeclaredRule, { readonly deploy: string }>): JsonObject {
  const shared = { ref: `zonewarden:${key}`, enabled: true };
  if ("skip" in rule) {
    const { skip, ...others } = rule;
    const parameters = { action: "skip", action_parameters: { ...skip } };
    return { ...others, ...shared, ...parameters, logging: { enabled: true } };
  }
  const { position: _, ratelimit, ...others } = rule;
  return { ...others, ...shared, ...(ratelimit && { ratelimit }) };
}

/** The zone file of one zone. JSON is YAML. */
export function zoneFile(name: string, declared: DeclaredContent): string {
  const { enabled, policies, rules, rulesets, pruned, isSuspended } = declared;
  const pageShield = {
    ...(enabled === undefined ? {} : { settings: { enabled } }),
    ...(policies === undefined ? {} : { policies: { items: policies } }),
  };
  const zone = {
    name,
    ...(isSuspended ? { suspend: { reason: "an incident" } } : {}),
    page_shield: pageShield,
    ...(rulesets === undefined ? {} : { custom_rulesets: rulesets }),
    ...Object.fromEntries(
      rulePhases.flatMap((phase) => {
        const list = rules[phase];
        const unmanaged = pruned.includes(phase) ? { unmanaged: "delete" } : {};
        return list === undefined ? [] : [[phase, { rules: list, ...unmanaged }]];
      }),
    ),
  };
  return JSON.stringify({ zones: [zone] });
}
