import type { ZoneDocument } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { KnownZones, Zone } from "../../zone/zone.ts";
import { problemAt } from "../diagnostics.ts";

/** A listed zone, and the documents that speak of it. */
export interface Declared {
  readonly zone: Zone;
  readonly documents: readonly [ZoneDocument, ...ZoneDocument[]];
}

/** Which of the declared zones of one name is meant; `undefined` where that cannot be told. */
export interface ResolvedZones {
  readonly meant: Declared | undefined;
  readonly diagnostic: Diagnostic | undefined;
}

/**
 * Finds out which of the declared zones of one name is meant: the one that the files name most closely, by its id, its
 * name or a selector, and of several such the only active one. Accounts can hold zones of one name, which has requests
 * answered by the active one (SERVICE.md C.4). While the zones of a credential are not known, that one may be among them.
 */
export function resolveNamesakes(
  declared: readonly Declared[],
  unlisted: KnownZones["unlisted"],
): ResolvedZones {
  const closest = Math.min(...declared.map(closeness));
  const named = declared.filter((each) => closeness(each) === closest);
  const [first, second] = named;
  const isCertain = order[closest] === "id" || named.some(({ zone }) => zone.status === "active");
  if (first !== undefined && !isCertain && unlisted.length > 0) {
    return { meant: undefined, diagnostic: uncertain(named, first, unlisted) };
  }
  if (second === undefined) return { meant: first, diagnostic: undefined };
  const [active, ...others] = named.filter(({ zone }) => zone.status === "active");
  if (active === undefined || others.length > 0) {
    return { meant: undefined, diagnostic: ambiguous(named, second) };
  }
  return { meant: active, diagnostic: namesake(named, active) };
}

const order = ["id", "name", "selector"];

function closeness({ documents }: Declared): number {
  return Math.min(...documents.map(({ target }) => order.indexOf(target.by)));
}

function ambiguous(named: readonly Declared[], { zone, documents }: Declared): Diagnostic {
  return problemAt(documents[0].place, "ZONE_AMBIGUOUS", {
    message: `${named.length} zones are called ${zone.name}, and not just one of them is active: ${textOf(named)}`,
    remedy: "declare one of them alone, by its id; until then all of them are left alone",
  });
}

function uncertain(
  named: readonly Declared[],
  { zone, documents }: Declared,
  unlisted: readonly string[],
): Diagnostic {
  const credentials = `credential ${unlisted.join(", ")}`;
  return problemAt(documents[0].place, "ZONE_UNCERTAIN", {
    message: `no zone called ${zone.name} is known to be active: ${textOf(named)}; ${credentials} may have one, and could not list its zones yet`,
    remedy: `let ${credentials} list its zones, or declare the zone by its id; until then it is left alone`,
  });
}

function namesake(named: readonly Declared[], { zone, documents }: Declared): Diagnostic {
  return problemAt(documents[0].place, "ZONE_NAMESAKE", {
    message: `${named.length} zones are called ${zone.name}, and the active one is taken: ${textOf(named)}`,
    remedy: "declare one of them alone, by its id, or let the selector ask for `status: active`",
  });
}

function textOf(named: readonly Declared[]): string {
  return named
    .map(({ zone }) => `${zone.id} (${zone.status}, in ${zone.accountName || zone.accountId})`)
    .join(", ");
}
