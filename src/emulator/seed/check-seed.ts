import type { JsonObject } from "../../syntax/json.ts";
import { permissionNames } from "../http/access.ts";
import { isTime } from "../http/time.ts";
import { customRulesetLimit, managedPhase, phases } from "../rulesets/phases.ts";
import type { Owner } from "../state.ts";
import type { Seed, SeedRuleset, SeedToken, SeedZone } from "./seed.ts";

/** A step of a path: the name of a member or the index of an item. */
export type PathStep = string | number;

export interface SeedIssue {
  readonly path: readonly PathStep[];
  readonly message: string;
}

export function stepsOf(pointer: string): readonly PathStep[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** What neither the schema nor building the state detects. */
export function seedIssues({ accounts = [], zones, tokens = [] }: Seed): readonly SeedIssue[] {
  return [
    ...repeated(tokens, ["tokens"], "value", ({ value }) => value),
    ...repeated(accounts, ["accounts"], "name", ({ name }) => name),
    // Two accounts can have zones of one name; the default id depends on the name.
    ...repeated(zones, ["zones"], "name", ({ name, id, account }) =>
      JSON.stringify([name.toLowerCase(), id === undefined ? "" : (account ?? accounts[0]?.name)]),
    ),
    ...repeated(zones, ["zones"], "id", ({ id }) => id),
    ...tokens.flatMap((token, index) => tokenIssues(token, ["tokens", index])),
    ...zones.flatMap((zone, index) => zoneIssues(zone, ["zones", index])),
    ...accounts.flatMap(({ rulesets = [] }, index) =>
      rulesetIssues(rulesets, ["accounts", index, "rulesets"], "account"),
    ),
  ];
}

function repeated<T>(
  items: readonly T[],
  path: readonly PathStep[],
  member: string,
  valueOf: (item: T) => unknown,
): readonly SeedIssue[] {
  const seen = new Set<unknown>();
  return items.flatMap((item, index) => {
    const value = valueOf(item);
    if (value === undefined) return [];
    const isNew = !seen.has(value);
    seen.add(value);
    return isNew
      ? []
      : [{ path: [...path, index, member], message: `this ${member} exists already` }];
  });
}

function zoneIssues(zone: SeedZone, path: readonly PathStep[]): readonly SeedIssue[] {
  const lists = ["policies", "entrypoint", "scripts", "connections", "cookies"] as const;
  return [
    ...lists.flatMap((list) =>
      repeated<JsonObject>(zone[list] ?? [], [...path, list], "id", ({ id }) => id),
    ),
    ...rulesetIssues(
      zone.rulesets ?? [],
      [...path, "rulesets"],
      "zone",
      zone.entrypoint !== undefined,
    ),
  ];
}

function tokenIssues(token: SeedToken, path: readonly PathStep[]): readonly SeedIssue[] {
  const { permissions = "all" } = token;
  const names = permissions === "all" ? [] : permissions;
  return [
    ...names.flatMap((name, index) =>
      permissionNames.has(name)
        ? []
        : [{ path: [...path, "permissions", index], message: unknownPermission(name) }],
    ),
    ...(["expires_on", "not_before"] as const).flatMap((name) => {
      const time = token[name];
      if (time === undefined || isTime(Date.parse(time))) return [];
      return [
        { path: [...path, name], message: `"${time}" is not a time; write 2027-01-01T00:00:00Z` },
      ];
    }),
  ];
}

function unknownPermission(name: string): string {
  return `the service has no permission "${name}"; it has ${[...permissionNames].join(", ")}`;
}

/**
 * A phase has one entry point; `entrypoint` is that of the managed phase. Zones have custom
 * rulesets in one phase only (SERVICE.md B.12).
 */
function rulesetIssues(
  rulesets: readonly SeedRuleset[],
  path: readonly PathStep[],
  level: Owner["level"],
  hasEntrypoint = false,
): readonly SeedIssue[] {
  const taken = new Set(hasEntrypoint ? [managedPhase] : []);
  const issues = rulesets.flatMap(({ phase, kind }, index) => {
    const phasePath = [...path, index, "phase"];
    if (!phases.includes(phase)) {
      return [{ path: phasePath, message: `'${phase}' is not a valid value for phase` }];
    }
    if (kind === "custom") {
      const isPossible = level === "account" || customRulesetLimit("enterprise", phase) > 0;
      const message = `zones have no custom rulesets in the ${phase} phase`;
      return isPossible ? [] : [{ path: phasePath, message }];
    }
    if (!taken.has(phase)) {
      taken.add(phase);
      return [];
    }
    return [{ path: phasePath, message: `the ${phase} phase has an entry point already` }];
  });
  return [
    ...issues,
    ...repeated(rulesets, path, "name", nameOfCustom),
    ...repeated(rulesets, path, "id", ({ id }) => id),
  ];
}

/** The default id of a custom ruleset depends on its phase and name. */
function nameOfCustom({ name, phase, kind, id }: SeedRuleset): string | undefined {
  return kind === "custom" && id === undefined ? JSON.stringify([phase, name]) : undefined;
}
