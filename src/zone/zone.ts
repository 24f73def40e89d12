import type { ServiceError } from "./service-error.ts";

declare const zoneNameBrand: unique symbol;
declare const zoneIdBrand: unique symbol;

/** A zone's domain name: lower case, no trailing dot, at most 253 characters. */
export type ZoneName = string & { readonly [zoneNameBrand]: true };

/** A zone's identifier at the service: 32 lower-case hexadecimal digits. */
export type ZoneId = string & { readonly [zoneIdBrand]: true };

/** A zone of the zone listing. */
export interface Zone {
  readonly id: ZoneId;
  readonly name: ZoneName;
  readonly accountId: string;
  readonly accountName: string;
  /** `initializing`, `pending`, `active` or `moved` (SERVICE.md C.4). */
  readonly status: string;
  /** `legacy_id` of the zone's plan (`free`, `pro`, `business`, `enterprise`), "" if unknown. */
  readonly tier: string;
}

/** The zones that all credentials list together. */
export interface ZoneListing {
  /** Without duplicates, sorted by name, then id. */
  readonly zones: readonly Zone[];
  /** Credentials whose listing failed. Their zones are unknown, not gone. */
  readonly failed: readonly { readonly credential: string; readonly error: ServiceError }[];
}

/** The listed zones, and the credentials that never listed theirs. */
export interface KnownZones {
  readonly zones: readonly Zone[];
  readonly unlisted: readonly string[];
}

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * Parses a zone name; `undefined` for an invalid one. International names must be in ASCII form.
 */
export function zoneName(text: string): ZoneName | undefined {
  const name = text.toLowerCase();
  return isZoneName(name) ? name : undefined;
}

/** Parses a zone id; `undefined` for an invalid one. */
export function zoneId(text: string): ZoneId | undefined {
  return isZoneId(text) ? text : undefined;
}

function isZoneName(text: string): text is ZoneName {
  return text.length <= 253 && text.split(".").every((part) => label.test(part));
}

function isZoneId(text: string): text is ZoneId {
  return /^[0-9a-f]{32}$/.test(text);
}
