import { createHash } from "node:crypto";

import { byText } from "../syntax/by-text.ts";
import type { AccountState, Owner, RateLimit, State, TokenState, ZoneState } from "./state.ts";

/** How many replaced zones and accounts are kept for stale reads. */
const historyLimit = 1_000;

interface Replaced {
  readonly owner: Owner;
  readonly at: number;
}

/** The one place that holds what the service remembers. Zones and accounts in it are replaced, never changed. */
export class Store {
  readonly #clock: { now(): Date };
  readonly #zones = new Map<string, ZoneState>();
  readonly #accounts = new Map<string, AccountState>();
  readonly #tokens = new Map<string, TokenState>();
  readonly #history: Replaced[] = [];
  /** In the order of their names, so that a listing need not sort. */
  readonly #ordered: ZoneState[];
  readonly #places: ReadonlyMap<string, number>;
  readonly rateLimit: RateLimit | null;
  #clockOffset: number;
  #made: number;

  constructor(state: State, clock: { now(): Date }) {
    this.#clock = clock;
    for (const zone of state.zones) this.#zones.set(zone.id, zone);
    for (const account of state.accounts) this.#accounts.set(account.id, account);
    for (const token of state.tokens) this.#tokens.set(token.value, token);
    this.#ordered = state.zones.toSorted(byText(({ name }) => name));
    this.#places = new Map(this.#ordered.map(({ id }, index) => [id, index]));
    this.rateLimit = state.rateLimit;
    this.#clockOffset = state.clockOffset;
    this.#made = state.made;
  }

  /** The emulator's own time. */
  now(): Date {
    return new Date(this.#clock.now().getTime() + this.#clockOffset);
  }

  /** Moves the emulator's own time. */
  moveClock(milliseconds: number): void {
    this.#clockOffset += milliseconds;
  }

  zone(id: string): ZoneState | undefined {
    return this.#zones.get(id);
  }

  zoneNamed(name: string): ZoneState | undefined {
    return this.zones().find((zone) => zone.name === name);
  }

  account(id: string): AccountState | undefined {
    return this.#accounts.get(id);
  }

  /** All zones in the order of their names. */
  zones(): readonly ZoneState[] {
    return this.#ordered;
  }

  accounts(): readonly AccountState[] {
    return [...this.#accounts.values()];
  }

  tokens(): readonly TokenState[] {
    return [...this.#tokens.values()];
  }

  token(value: string): TokenState | undefined {
    return this.#tokens.get(value);
  }

  /** Stores a new state of a zone or account in one step. */
  replace(owner: Owner): void {
    const before = owner.level === "zone" ? this.zone(owner.id) : this.account(owner.id);
    if (before !== undefined) this.#history.push({ owner: before, at: this.now().getTime() });
    if (this.#history.length > historyLimit) this.#history.shift();
    if (owner.level === "account") this.#accounts.set(owner.id, owner);
    else this.#storeZone(owner);
  }

  #storeZone(zone: ZoneState): void {
    const place = this.#places.get(zone.id);
    if (place === undefined) throw new Error(`the store has no zone ${zone.id}`);
    this.#ordered[place] = zone;
    this.#zones.set(zone.id, zone);
  }

  /** A zone or account as it was at a moment, as far as history reaches. */
  asOf<T extends Owner>(owner: T, moment: number): T {
    const older = this.#history.find(
      (entry): entry is Replaced & { readonly owner: T } =>
        entry.at > moment && entry.owner.id === owner.id && entry.owner.level === owner.level,
    );
    return older?.owner ?? owner;
  }

  /** A new identifier: 32 hexadecimal digits, the same in each run that makes as many before. */
  newId(): string {
    this.#made += 1;
    return idFrom(`made/${this.#made}`);
  }

  /** Everything as plain data. */
  state(): State {
    return {
      accounts: this.accounts(),
      zones: this.zones(),
      tokens: this.tokens(),
      rateLimit: this.rateLimit,
      clockOffset: this.#clockOffset,
      made: this.#made,
    };
  }
}

/** An identifier that always belongs to the same text. */
export function idFrom(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
