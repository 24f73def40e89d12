/**
 * How well the audit log of an account is followed, from the best to the worst. `off`: the configuration does not ask for it.
 * `denied`: no token may read it. `lagging`: entries are missing, or were not read in time. Sweeps go on in any case.
 */
export const auditFeedStates = ["off", "following", "denied", "lagging"] as const;

export type AuditFeedState = (typeof auditFeedStates)[number];

/** The feed of all accounts. */
export interface AuditFeedStatus {
  /** The worst state of its accounts. */
  readonly state: AuditFeedState;
  readonly since: Date;
  /** Accounts with declared zones, by state. */
  readonly accounts: Readonly<Record<AuditFeedState, number>>;
  /** Entries since the start, by what was done about them. */
  readonly entries: Readonly<Record<AuditEntryResult, number>>;
  /** Why an account is denied or lags; "" where none does. */
  readonly reason: string;
}

/** What was done about an entry: `woke` a zone; `own` write; `unrelated` to declared zones; `malformed`. */
export const auditEntryResults = ["woke", "own", "unrelated", "malformed"] as const;

export type AuditEntryResult = (typeof auditEntryResults)[number];

/** The feeds of several parts of a fleet as one; `undefined`: there is none. */
export function joinAudits(feeds: readonly AuditFeedStatus[]): AuditFeedStatus | undefined {
  const [first, ...others] = feeds;
  return others.reduce((a, b) => (a === undefined ? b : joinTwo(a, b)), first);
}

function joinTwo(a: AuditFeedStatus, b: AuditFeedStatus): AuditFeedStatus {
  return {
    state: worstState([a.state, b.state]),
    since: b.since > a.since ? b.since : a.since,
    accounts: {
      off: a.accounts.off + b.accounts.off,
      following: a.accounts.following + b.accounts.following,
      denied: a.accounts.denied + b.accounts.denied,
      lagging: a.accounts.lagging + b.accounts.lagging,
    },
    entries: {
      woke: a.entries.woke + b.entries.woke,
      own: a.entries.own + b.entries.own,
      unrelated: a.entries.unrelated + b.entries.unrelated,
      malformed: a.entries.malformed + b.entries.malformed,
    },
    reason: a.reason === "" ? b.reason : a.reason,
  };
}

/** The worst state of accounts: an account that lags matters more than one that never was readable. */
export function worstState(states: Iterable<AuditFeedState>): AuditFeedState {
  const indexes = [...states].map((state) => auditFeedStates.indexOf(state));
  return auditFeedStates[Math.max(0, ...indexes)] ?? "off";
}
