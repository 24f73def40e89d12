import { byText } from "../syntax/by-text.ts";
import { sha256 } from "../syntax/digest.ts";
import type {
  AccountState,
  MovedManaged,
  Owner,
  RequestLimit,
  State,
  TokenState,
  EmulatedZone,
  Undocumented,
} from "./state.ts";

/** Replaced zones and accounts that are kept for stale reads. */
const historyLimit = 1_000;

interface Replaced {
  readonly owner: Owner;
  readonly at: number;
}

/** State of the emulated service. Zones and accounts in it are replaced, never changed. */
export class Store {
  readonly #clock: { now(): Date };
  /** Ordered by name, so that a listing does not sort. */
  readonly #zones: Map<string, EmulatedZone>;
  readonly #accounts: Map<string, AccountState>;
  readonly #tokens: ReadonlyMap<string, TokenState>;
  readonly #movedManaged: Map<string, MovedManaged>;
  readonly #history: Replaced[] = [];
  readonly rateLimit: RequestLimit | null;
  /** Whether expressions are judged as a newer service may: see `ExpressionLimits`. */
  readonly isLenient: boolean;
  readonly undocumented: Undocumented;
  #clockOffset: number;
  #idCount: number;

  constructor(state: State, clock: { now(): Date }, isLenient: boolean) {
    this.isLenient = isLenient;
    this.#clock = clock;
    const zones = state.zones.toSorted(byText(({ name }) => name));
    this.#zones = new Map(zones.map((zone) => [zone.id, zone]));
    this.#accounts = new Map(state.accounts.map((account) => [account.id, account]));
    this.#tokens = new Map(state.tokens.map((token) => [token.value, token]));
    this.rateLimit = state.rateLimit;
    this.#movedManaged = new Map(Object.entries(state.movedManaged ?? {}));
    this.undocumented = undocumentedFrom(state.undocumented);
    this.#clockOffset = state.clockOffset;
    this.#idCount = state.made;
  }

  now(): Date {
    return new Date(this.#clock.now().getTime() + this.#clockOffset);
  }

  moveClock(milliseconds: number): void {
    this.#clockOffset += milliseconds;
  }

  zone(id: string): EmulatedZone | undefined {
    return this.#zones.get(id);
  }

  zoneNamed(name: string): EmulatedZone | undefined {
    return this.zones().find((zone) => zone.name === name);
  }

  account(id: string): AccountState | undefined {
    return this.#accounts.get(id);
  }

  /** All zones, ordered by name. */
  zones(): readonly EmulatedZone[] {
    return [...this.#zones.values()];
  }

  accounts(): readonly AccountState[] {
    return [...this.#accounts.values()];
  }

  token(value: string): TokenState | undefined {
    return this.#tokens.get(value);
  }

  /** Where a managed ruleset was moved; `undefined` if it was not. */
  movedManaged(id: string): MovedManaged | undefined {
    return this.#movedManaged.get(id);
  }

  moveManaged(id: string, to: MovedManaged): void {
    this.#movedManaged.set(id, to);
  }

  replace(owner: Owner): void {
    const before = owner.level === "zone" ? this.zone(owner.id) : this.account(owner.id);
    if (before === undefined) throw new Error(`the store has no ${owner.level} ${owner.id}`);
    this.#history.push({ owner: before, at: this.now().getTime() });
    if (this.#history.length > historyLimit) this.#history.shift();
    if (owner.level === "account") this.#accounts.set(owner.id, owner);
    else this.#zones.set(owner.id, owner);
  }

  /** A zone or account as it was at `time` (milliseconds since 1970), as far as history reaches. */
  asOf<T extends Owner>(owner: T, time: number): T {
    const older = this.#history.find(
      (entry): entry is Replaced & { readonly owner: T } =>
        entry.at > time && entry.owner.id === owner.id && entry.owner.level === owner.level,
    );
    return older?.owner ?? owner;
  }

  /** A new identifier, determined by how many were generated before. */
  newId(): string {
    this.#idCount += 1;
    return generatedId(this.#idCount);
  }

  state(): State {
    return {
      accounts: this.accounts(),
      zones: this.zones(),
      tokens: [...this.#tokens.values()],
      rateLimit: this.rateLimit,
      movedManaged: Object.fromEntries(this.#movedManaged),
      undocumented: this.undocumented,
      clockOffset: this.#clockOffset,
      made: this.#idCount,
    };
  }
}

/** What the service does where its documentation does not say it, with the defaults. */
export function undocumentedFrom(given: Partial<Undocumented> = {}): Undocumented {
  return {
    identical_put: "stored",
    counting_expression: "omitted",
    analytics_errors: "in_200",
    ...given,
  };
}

/** The identifier of a resource that was created as the `count`th. */
export function generatedId(count: number): string {
  return idFrom(`made/${count}`);
}

/** An identifier of 32 hexadecimal digits that depends on `text` alone. */
export function idFrom(text: string): string {
  return sha256(text).slice(0, 32);
}
