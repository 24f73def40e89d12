/**
 * How well the audit log of an account is followed, from the best to the worst. `off`: the configuration does not ask for it.
 * `denied`: no token may read it. `lagging`: entries are missing, or were not read in time. Sweeps go on in any case.
 */
export const auditFeedStates = ["off", "following", "denied", "lagging"] as const;

export type AuditFeedState = (typeof auditFeedStates)[number];

/** A write with a token of ours that zonewarden did not send. */
export interface TokenUse {
  /** By the clock of the service. */
  readonly at: Date;
  readonly credential: string;
  /** The zone that it concerns: of several, there is a use for each; "" if it concerns no declared one. */
  readonly zone: string;
  readonly method: string;
  /** Path of the request, without base path and query. */
  readonly path: string;
  readonly ray: string;
}

/** A use of a token, and whether the zone differed from its declaration after it. */
export interface JudgedTokenUse extends TokenUse {
  readonly isDrift: boolean;
}

/** What such a use means, and what to do. */
export function tokenUseText({ credential, at, method, path }: TokenUse): string {
  return `the token of credential ${credential} was used elsewhere: ${method} ${path} at ${at.toISOString()} is not a write of this installation; another installation, a pipeline or an apply probably has the same token: give each its own, and revoke this one if you know of none`;
}

/** The feed of all accounts. */
export interface AuditFeedStatus {
  /** The worst state of its accounts. */
  readonly state: AuditFeedState;
  readonly since: Date;
  /** Accounts with declared zones, by state. */
  readonly accounts: Readonly<Record<AuditFeedState, number>>;
  /** Entries since the start, by what was done about them. */
  readonly entries: Readonly<Record<AuditEntryResult, number>>;
  /** Why an account is denied or lags; "" if none does. */
  readonly reason: string;
  /** The latest uses of our tokens elsewhere, newest first, bounded. */
  readonly usedElsewhere: readonly JudgedTokenUse[];
  /** The same of each declared zone that has some. */
  readonly usedElsewhereOf: ReadonlyMap<string, readonly JudgedTokenUse[]>;
}

/**
 * What was done about an entry, counted once it is known: `woke` a zone; `own`: a write of ours, or what may be one;
 * `unrelated` to declared zones; `malformed`; `elsewhere`: a use of our token by others, once for each zone, after which the
 * zone differed (`elsewhere_drift`) or did not.
 */
export const auditEntryResults = [
  "woke",
  "own",
  "unrelated",
  "malformed",
  "elsewhere",
  "elsewhere_drift",
] as const;

export type AuditEntryResult = (typeof auditEntryResults)[number];
