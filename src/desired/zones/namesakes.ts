import type { ZoneDocument } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { KnownZones, Zone } from "../../zone/zone.ts";
import { diagnosticAt } from "../diagnostics.ts";

/** A listed zone, and the documents that declare it. */
export interface ZoneDeclarations {
  readonly zone: Zone;
  readonly documents: readonly [ZoneDocument, ...ZoneDocument[]];
}

/** The zone that a name stands for; no zone if that is ambiguous or uncertain. */
export interface ResolvedName {
  readonly resolved: ZoneDeclarations | undefined;
  readonly diagnostic: Diagnostic | undefined;
}

/**
 * Decides which of the declared zones of one name to manage: the one with the closest declaration
 * (by id, then by name, then by selector), and of several the only active one. Accounts can have
 * zones with the same name; the service answers requests with the active one (SERVICE.md C.4).
 * While the zones of a credential are not listed, the active zone may be among them.
 */
export function resolveNamesakes(
  declared: readonly ZoneDeclarations[],
  unlisted: KnownZones["unlisted"],
): ResolvedName {
  const closest = Math.min(...declared.map(closeness));
  const candidates = declared.filter((each) => closeness(each) === closest);
  const [first, second] = candidates;
  const [active, ...others] = candidates.filter(({ zone }) => zone.status === "active");
  const isCertain = order[closest] === "id" || active !== undefined;
  if (first !== undefined && !isCertain && unlisted.length > 0) {
    return { resolved: undefined, diagnostic: uncertain(candidates, first, unlisted) };
  }
  if (second === undefined) return { resolved: first, diagnostic: undefined };
  return active === undefined || others.length > 0
    ? { resolved: undefined, diagnostic: ambiguous(candidates, second) }
    : { resolved: active, diagnostic: namesake(candidates, active) };
}

const order = ["id", "name", "selector"];

function closeness({ documents }: ZoneDeclarations): number {
  return Math.min(...documents.map(({ target }) => order.indexOf(target.by)));
}

function ambiguous(
  candidates: readonly ZoneDeclarations[],
  { zone, documents }: ZoneDeclarations,
): Diagnostic {
  return diagnosticAt(documents[0].place, {
    code: "ZONE_AMBIGUOUS",
    message: `${candidates.length} zones are called ${zone.name}, and not exactly one of them is active: ${textOf(candidates)}`,
    remedy: "declare only one of them, by its id; until then zonewarden manages none of them",
  });
}

function uncertain(
  candidates: readonly ZoneDeclarations[],
  { zone, documents }: ZoneDeclarations,
  unlisted: readonly string[],
): Diagnostic {
  const credentials = `credential ${unlisted.join(", ")}`;
  return diagnosticAt(documents[0].place, {
    code: "ZONE_UNCERTAIN",
    message: `no zone called ${zone.name} is known to be active: ${textOf(candidates)}; ${credentials} may have one, but could not list its zones yet`,
    remedy: `let ${credentials} list its zones, or declare the zone by its id; until then zonewarden does not manage it`,
  });
}

function namesake(
  candidates: readonly ZoneDeclarations[],
  { zone, documents }: ZoneDeclarations,
): Diagnostic {
  return diagnosticAt(documents[0].place, {
    code: "ZONE_NAMESAKE",
    message: `${candidates.length} zones are called ${zone.name}, and zonewarden manages the active one: ${textOf(candidates)}`,
    remedy: "declare only one of them, by its id, or add `status: active` to the selector",
  });
}

function textOf(candidates: readonly ZoneDeclarations[]): string {
  return candidates
    .map(({ zone }) => `${zone.id} (${zone.status}, in ${zone.accountName || zone.accountId})`)
    .join(", ");
}
