import type { AuditEntry } from "../zone/audit-entry.ts";
import { declaredRules, type DesiredZone } from "../zone/desired-zone.ts";
import { zoneId, type ZoneName, zoneName } from "../zone/zone.ts";

/** The declared zones of an account, as entries of its audit log name them. */
export interface DeclaredZones {
  readonly byId: ReadonlyMap<string, ZoneName>;
  readonly names: ReadonlySet<ZoneName>;
  /** The zones that deploy a ruleset, by its id. */
  readonly byRuleset: ReadonlyMap<string, readonly ZoneName[]>;
}

/** Prepares the declared zones of one account for many entries. */
export function declaredZones(
  zones: readonly (Pick<DesiredZone, "zone"> & {
    readonly content: Pick<DesiredZone["content"], "rules">;
  })[],
): DeclaredZones {
  const byRuleset = new Map<string, ZoneName[]>();
  for (const { zone, content } of zones) {
    for (const rule of declaredRules(content)) {
      if (rule.action !== "execute") continue;
      const known = byRuleset.get(rule.ruleset);
      if (known === undefined) byRuleset.set(rule.ruleset, [zone.name]);
      else known.push(zone.name);
    }
  }
  return {
    byId: new Map(zones.map(({ zone }) => [zone.id, zone.name])),
    names: new Set(zones.map(({ zone }) => zone.name)),
    byRuleset,
  };
}

/**
 * The declared zones that an entry may have changed. The entry says nothing about the live state: what names a zone and
 * cannot be placed counts too, and only what certainly belongs to another product does not.
 */
export function touchedZones(entry: AuditEntry, zones: DeclaredZones): readonly ZoneName[] {
  if (entry.isRefused) return [];
  const [, level, second = "", area = ""] = entry.path.split("/");
  const isInZone = level === "zones";
  const named = namedZone(entry, isInZone ? zoneId(second) : undefined, zones);
  if (named !== undefined) return isInZone && otherProducts.has(area) ? [] : [named];
  // An entry that names another zone concerns that zone only.
  if (isInZone || entry.zoneId !== "" || entry.zoneName !== "") return [];
  return zones.byRuleset.get(rulesetIn(entry)) ?? [];
}

/** The ruleset of the account that an entry names; a text that is none where it names something else. */
function rulesetIn({ path, resourceId }: AuditEntry): string {
  const [, level, , area, ruleset = ""] = path.split("/");
  return level === "accounts" && area === "rulesets" ? ruleset : resourceId;
}

function namedZone(
  entry: AuditEntry,
  idInPath: string | undefined,
  { byId, names }: DeclaredZones,
): ZoneName | undefined {
  const name = zoneName(entry.zoneName);
  return (
    byId.get(entry.zoneId) ??
    byId.get(idInPath ?? "") ??
    (name !== undefined && names.has(name) ? name : undefined)
  );
}

/** Parts of a zone that hold nothing that zone files declare. A part that is not here counts as one that might. */
const otherProducts: ReadonlySet<string> = new Set([
  "argo",
  "cache",
  "custom_certificates",
  "custom_hostnames",
  "dns_records",
  "dnssec",
  "email",
  "healthchecks",
  "keyless_certificates",
  "load_balancers",
  "logpush",
  "origin_tls_client_auth",
  "purge_cache",
  "spectrum",
  "ssl",
  "waiting_rooms",
  "workers",
]);
