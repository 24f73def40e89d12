import { appliedZoneIn } from "../plan/cause/applied-zone.ts";
import {
  adoptedRules,
  authors,
  type Codec,
  corrections,
  date,
  formerTerm,
  heldRevision,
  labels,
  moments,
  rolloutHalt,
  rolloutHead,
  rolloutZone,
  scriptWatch,
  steps,
  text,
  texts,
} from "./codecs.ts";
import type { StateStore } from "./state-store.ts";

/** A key of the state. */
export interface StateKey<T> extends Codec<T> {
  /** The key, or what the keys begin with if there are several: the name of each follows. */
  readonly key: string;
  /** The text of what a text says; `undefined`: it says nothing. */
  readonly again: (text: string) => string | undefined;
}

function stateKey<T>(key: string, { encode, decode }: Codec<T>): StateKey<T> {
  return { key, encode, decode, again: (stored) => encode(decode(stored)) };
}

/** What is remembered of each zone. All of it is forgotten with the zone. */
export const zoneKeys = {
  /** The rules that were adopted. */
  adopted: stateKey("adopted/", adoptedRules),
  /** What was last applied, as `appliedText` gives it. Whoever uses it parses it. */
  applied: {
    ...stateKey("applied/", text),
    again: (stored: string): string | undefined => appliedZoneIn(stored) && stored,
  },
  /** When each field was corrected. */
  corrections: stateKey("corrections/", corrections),
  /** Who made the drift of each resource. */
  authors: stateKey("authors/", authors),
  /** The digests of earlier declarations, and when each ceased to be in force. */
  former: stateKey("former/", moments),
  /** Since when the zone has drift. */
  drift: stateKey("drift/", date),
  /** Its labels, for the pages of processes that wait. */
  labels: stateKey("labels/", labels),
  /** Since when the zone has pending changes. */
  pending: stateKey("pending/", date),
  /** The ids of the latest requests that wrote. */
  rays: stateKey("rays/", texts),
  /** The last check of its scripts. */
  scripts: stateKey("scripts/", scriptWatch),
  /** Where its objects stand on their steps. */
  steps: stateKey("steps/", steps),
};

/** What is remembered of the fleet. */
export const fleetKeys = {
  /** What the term before passed on at its end. */
  formerTerm: stateKey("former-term", formerTerm),
  /** Whether a person paused or aborted the rollout. */
  halt: stateKey("halt", rolloutHalt),
  /** The revision that is held. */
  held: stateKey("held", heldRevision),
  /** Which revision the zones wait for, and of how many zones {@link fleetKeys.rolloutZone} is stored. */
  rollout: stateKey("rollout", rolloutHead),
  /** Whether a zone waits for its wave, or went. It outlasts the declaration of the zone. */
  rolloutZone: stateKey("wave/", rolloutZone),
  /** The hashes of the plans whose release was used. */
  usedReleases: stateKey("used-releases", texts),
  /** When each zone was last weakened without a release; the cause follows. */
  weakened: stateKey("weakened-by-", moments),
};

/**
 * The active revision, and its zone files: `StoredRevision` packs and checks them. Of earlier revisions, the name of each and
 * of its files follows.
 */
export const revisionKeys = { head: "revision", files: "file/", earlier: "earlier/" } as const;

/** What a key says; `name`: of the zone or the cause, if there are several. */
export function remembered<T>(
  store: Pick<StateStore, "get">,
  { key, decode }: StateKey<T>,
  name = "",
): T {
  return decode(store.get(`${key}${name}`));
}

/** Stores a value as {@link remember} does, if it is another one than is stored. */
export function rememberChanged<T>(
  store: Pick<StateStore, "get" | "set">,
  key: StateKey<T>,
  value: T,
  name = "",
): void {
  if (key.encode(value) !== store.get(`${key.key}${name}`)) remember(store, key, value, name);
}

/** Stores a value, or removes the key if there is nothing to store. */
export function remember<T>(
  store: Pick<StateStore, "set">,
  { key, encode }: StateKey<T>,
  value: T,
  name = "",
): void {
  store.set(`${key}${name}`, encode(value));
}
