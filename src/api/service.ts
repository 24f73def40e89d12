import type { Write } from "../plan/write.ts";
import type { LiveZone } from "../zone/live.ts";
import type { Zone } from "../zone/zone.ts";
import type { ApiError } from "./api-error.ts";

/** What is to be read of a zone; what is not wanted costs no request. */
export interface Wanted {
  readonly settings: boolean;
  readonly policies: boolean;
  readonly rules: boolean;
  /** The OWASP score rule; read once per account and kept for a while. */
  readonly scoreRule: boolean;
}

/** The zones that the credentials see together. */
export interface ZoneListing {
  /** Without repetitions, ordered by name. */
  readonly zones: readonly Zone[];
  /** Credentials whose listing failed: their zones are unknown, not gone. */
  readonly failed: readonly { readonly credential: string; readonly error: ApiError }[];
}

/** Looks at the service. It has no way to write: what plans is given this and nothing else. */
export interface Reader {
  /** Lists the zones of all credentials; throws where not one of them can list. */
  listZones(signal: AbortSignal): Promise<ZoneListing>;
  /** Reads what is wanted of a zone in at most three requests, or throws an `ApiError`. */
  readZone(zone: Zone, wanted: Wanted, signal: AbortSignal): Promise<LiveZone>;
}

/** What one write came to. */
export interface Written {
  /** The live state as the service answered it: a plan on it verifies the write. */
  readonly live: LiveZone;
  readonly ray: string;
  /** The service's id of the audit entry; "" where it gave none. */
  readonly auditId: string;
  /** Whether the ruleset's version shows that somebody else wrote between our reading and our writing. */
  readonly interleaved: boolean;
}

/** Changes the service. */
export interface Writer {
  /** Sends one write and gives the state that it led to; an `ApiError` says why not. */
  carryOut(live: LiveZone, write: Write, signal: AbortSignal): Promise<Written>;
  /** Lets the service judge a write of a ruleset without storing it (api-facts B.2); other writes it cannot judge. */
  check(live: LiveZone, write: Write, signal: AbortSignal): Promise<"accepted" | "not-checkable">;
}
