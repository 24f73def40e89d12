import { globIgnoringCase } from "../../syntax/glob.ts";
import type { Clock } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import { Budget, type BudgetOptions, type BudgetState } from "../budget/budget.ts";
import { Token } from "./token.ts";

/** Where a token comes from: a file or a variable of the environment. */
export interface TokenSource {
  /** Gives the text that is there now. */
  read(): Promise<string>;
}

/** What makes a {@link Credential}. */
export interface CredentialOptions {
  readonly name: string;
  readonly source: TokenSource;
  /** Patterns of names or ids of the accounts it serves, `*` for any run of characters; none: all. */
  readonly accounts: readonly string[];
  /** Patterns of names of the zones it serves; none: all. */
  readonly zones: readonly string[];
  readonly budget: BudgetOptions;
}

/** A credential as people may see it: everything but the token. */
export interface CredentialState extends BudgetState {
  readonly name: string;
  /** `false` once the service has refused the token as such, until it takes it again. */
  readonly valid: boolean;
  /** `undefined`: the token does not expire, or the service has not said so. */
  readonly expiresAt: Date | undefined;
}

/** A token is read again after this time. Looking again misses no swap of a mounted secret; watching can. */
const rereadMs = 10_000;

/** A new token is refused for some seconds after it was made (SERVICE.md C.6). */
const settlingMs = 30_000;

/** Tokens are issued for months: asking about their end a few times a day is enough. */
const verifyEveryMs = 6 * 3_600_000;

/** A token with the zones it serves and the budget that hangs on it. */
export class Credential {
  readonly name: string;
  readonly budget: Budget;
  readonly #options: CredentialOptions;
  readonly #clock: Clock;
  readonly #accounts: readonly Pattern[];
  readonly #zones: readonly Pattern[];
  #token: Token | undefined;
  /** The token before this one: requests that carry it may still be under way. */
  #former: Token | undefined;
  /** The token that the service refused last. */
  #refused: Token | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #changedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<Token> | undefined;
  #valid = true;
  #expiresAt: Date | undefined;
  #verifiedAt = Number.NEGATIVE_INFINITY;

  constructor(options: CredentialOptions, clock: Clock) {
    this.name = options.name;
    this.budget = new Budget(options.budget, clock);
    this.#options = options;
    this.#clock = clock;
    this.#accounts = options.accounts.map(globIgnoringCase);
    this.#zones = options.zones.map(globIgnoringCase);
  }

  get state(): CredentialState {
    const { name } = this;
    return { ...this.budget.state, name, valid: this.#valid, expiresAt: this.#expiresAt };
  }

  /** Notes whether the service takes the token. */
  noteValid(valid: boolean): void {
    this.#valid = valid;
    this.#refused = valid ? undefined : this.#token;
  }

  /** Whether nobody has asked the service about this token for long, or ever. */
  get isVerificationDue(): boolean {
    return this.#clock.monotonicMs() - this.#verifiedAt >= verifyEveryMs;
  }

  /** Notes that the service was asked about `token`, and when that one ends; of a token before this one nothing counts. */
  noteVerified(token: Token, expiresAt: Date | undefined): void {
    if (this.#token?.equals(token) !== true) return;
    this.#verifiedAt = this.#clock.monotonicMs();
    this.#expiresAt = expiresAt;
  }

  /** `text` without the token, wherever it stands in it. */
  scrub(text: string): string {
    const tokens = [this.#token, this.#former];
    return tokens.reduce((rest, token) => token?.scrub(rest) ?? rest, text);
  }

  serves(zone: Zone): boolean {
    return (
      fits(this.#zones, [zone.name]) && fits(this.#accounts, [zone.accountId, zone.accountName])
    );
  }

  /** The token as it is now, at most ten seconds old; read where it is older. */
  token(): Token | Promise<Token> {
    const isFresh = this.#clock.monotonicMs() - this.#readAt < rereadMs;
    return this.#token !== undefined && isFresh ? this.#token : this.#read();
  }

  /** Whether another try can help after the service refused `refused`: the token is another one now, or very new. */
  async isRenewed(refused: Token): Promise<boolean> {
    const token = await this.#read();
    return !token.equals(refused) || this.#clock.monotonicMs() - this.#changedAt < settlingMs;
  }

  /** Whether the service refused the token and there is another one now, which has not been tried. */
  async isReplaced(): Promise<boolean> {
    const refused = this.#refused;
    return refused !== undefined && !(await this.#read()).equals(refused);
  }

  #read(): Promise<Token> {
    this.#reading ??= this.#readSource().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** While a secret is being swapped its file may be gone or empty for a moment: the last token stays good. */
  async #readSource(): Promise<Token> {
    try {
      const token = Token.parse(await this.#options.source.read());
      if (token === undefined) throw this.#noToken("there is no token in it");
      const isChanged = this.#token !== undefined && !this.#token.equals(token);
      if (isChanged) {
        this.#changedAt = this.#clock.monotonicMs();
        this.#former = this.#token;
        this.#expiresAt = undefined;
        this.#verifiedAt = Number.NEGATIVE_INFINITY;
      }
      this.#token = token;
    } catch (cause) {
      if (this.#token === undefined) {
        throw cause instanceof ServiceError ? cause : this.#noToken(reasonOf(cause));
      }
    }
    this.#readAt = this.#clock.monotonicMs();
    return this.#token;
  }

  #noToken(reason: string): ServiceError {
    const message = `credential ${this.name}: cannot read its token: ${reason}; check the token_file or token_env of this credential`;
    return new ServiceError("API_NO_TOKEN", message, { transient: true });
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "unknown reason";
}

type Pattern = (text: string) => boolean;

function fits(patterns: readonly Pattern[], texts: readonly string[]): boolean {
  return patterns.length === 0 || patterns.some((isFor) => texts.some((text) => isFor(text)));
}
