import type { JsonObject } from "../../syntax/json.ts";
import { permissionNames } from "../http/access.ts";
import { isMoment } from "../http/time.ts";
import { phases } from "../rulesets/phases.ts";
import type { Seed, SeedRuleset, SeedToken, SeedZone } from "./seed.ts";

/** A step into a document: the name of a member or the index of an item. */
export type Step = string | number;

/** What is wrong in a seed, and where. */
export interface SeedMistake {
  readonly path: readonly Step[];
  readonly message: string;
}

/** What the schema cannot say about a seed and no making of its parts would notice. */
export function seedMistakes({ accounts = [], zones, tokens = [] }: Seed): readonly SeedMistake[] {
  return [
    ...repeated(tokens, ["tokens"], "value", ({ value }) => value),
    ...repeated(accounts, ["accounts"], "name", ({ name }) => name),
    // Accounts can hold zones of one name; an id that is not given is made of the name.
    ...repeated(zones, ["zones"], "name", ({ name, id, account }) =>
      JSON.stringify([name.toLowerCase(), id === undefined ? "" : (account ?? accounts[0]?.name)]),
    ),
    ...repeated(zones, ["zones"], "id", ({ id }) => id),
    ...tokens.flatMap((token, index) => tokenMistakes(token, ["tokens", index])),
    ...zones.flatMap((zone, index) => zoneMistakes(zone, ["zones", index])),
    ...accounts.flatMap(({ rulesets = [] }, index) =>
      rulesetMistakes(rulesets, ["accounts", index, "rulesets"], false),
    ),
  ];
}

function repeated<T>(
  items: readonly T[],
  path: readonly Step[],
  member: string,
  valueOf: (item: T) => unknown,
): readonly SeedMistake[] {
  const seen = new Set<unknown>();
  return items.flatMap((item, index) => {
    const value = valueOf(item);
    if (value === undefined) return [];
    const isNew = !seen.has(value);
    seen.add(value);
    return isNew
      ? []
      : [{ path: [...path, index, member], message: `this ${member} is there already` }];
  });
}

function zoneMistakes(zone: SeedZone, path: readonly Step[]): readonly SeedMistake[] {
  const lists = ["policies", "entrypoint", "scripts", "connections", "cookies"] as const;
  return [
    ...lists.flatMap((list) =>
      repeated<JsonObject>(zone[list] ?? [], [...path, list], "id", ({ id }) => id),
    ),
    ...rulesetMistakes(zone.rulesets ?? [], [...path, "rulesets"], zone.entrypoint !== undefined),
  ];
}

function tokenMistakes(token: SeedToken, path: readonly Step[]): readonly SeedMistake[] {
  const { permissions = "all" } = token;
  const names = permissions === "all" ? [] : permissions;
  return [
    ...names.flatMap((name, index) =>
      permissionNames.has(name)
        ? []
        : [{ path: [...path, "permissions", index], message: unknownPermission(name) }],
    ),
    ...(["expires_on", "not_before"] as const).flatMap((name) => {
      const moment = token[name];
      if (moment === undefined || isMoment(Date.parse(moment))) return [];
      return [{ path: [...path, name], message: `"${moment}" is no moment: 2027-01-01T00:00:00Z` }];
    }),
  ];
}

function unknownPermission(name: string): string {
  return `the service has no permission "${name}"; it has ${[...permissionNames].join(", ")}`;
}

/** An entry point is the only one of its phase, and `entrypoint` is that of the managed phase. */
function rulesetMistakes(
  rulesets: readonly SeedRuleset[],
  path: readonly Step[],
  hasEntrypoint: boolean,
): readonly SeedMistake[] {
  const taken = new Set(hasEntrypoint ? ["http_request_firewall_managed"] : []);
  return rulesets.flatMap(({ phase, kind }, index) => {
    const place = [...path, index, "phase"];
    if (!phases.some((known) => known === phase)) {
      return [{ path: place, message: `'${phase}' is not a valid value for phase` }];
    }
    if (kind === "custom") return [];
    if (!taken.has(phase)) {
      taken.add(phase);
      return [];
    }
    return [{ path: place, message: `there is an entry point of the ${phase} phase already` }];
  });
}
