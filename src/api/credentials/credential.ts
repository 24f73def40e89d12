import { globIgnoringCase } from "../../syntax/glob.ts";
import type { Clock } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import { Budget, type BudgetOptions, type BudgetState } from "../budget/budget.ts";
import { RequestShare } from "../budget/request-share.ts";
import { SentWrites } from "../request/sent-writes.ts";
import { Token } from "./token.ts";

/** The source of a token: a file or an environment variable. */
export interface TokenSource {
  /** Reads its current text. */
  read(): Promise<string>;
}

export interface CredentialOptions {
  readonly name: string;
  readonly source: TokenSource;
  /**
   * Patterns for names or ids of the accounts that it serves; `*` matches any characters. Empty:
   * all accounts.
   */
  readonly accounts: readonly string[];
  /** Patterns for names of the zones that it serves. Empty: all zones. */
  readonly zones: readonly string[];
  readonly budget: BudgetOptions;
}

/** The public state of a credential, without the token. */
export interface CredentialState extends BudgetState {
  readonly name: string;
  /** `false` after the service rejected the token, until it accepts it again. */
  readonly valid: boolean;
  /** `undefined` if the token does not expire or the expiry is unknown. */
  readonly expiresAt: Date | undefined;
}

/** How long a token is cached. Polling misses no swap of a mounted secret; watching can. */
const rereadMs = 10_000;

/** The service rejects a new token for some seconds (SERVICE.md C.6). */
const settlingMs = 30_000;

/** Tokens are valid for months: a few verifications a day are enough. */
const verifyEveryMs = 6 * 3_600_000;

/** Ids of tokens that are remembered: entries of the audit log may be of the token before. */
const maxTokenIds = 4;

/** The service allows one query of the analytics a second, over five minutes (SERVICE.md C.8). */
const analyticsWindowMs = 300_000;
const analyticsShareOfQueries = 0.2;
/** A query is also a request: a small budget has fewer of them, one for each so many requests at most. */
const requestsPerQuery = 3;

/** A token with the zones that it serves and its request budget. */
export class Credential {
  readonly name: string;
  readonly budget: Budget;
  /** The part of the budget with which audit logs are read. */
  readonly auditShare: RequestShare;
  /** Queries of the analytics. */
  readonly analyticsShare: RequestShare;
  /** What was written with it. */
  readonly sent: SentWrites;
  readonly #options: CredentialOptions;
  readonly #clock: Clock;
  readonly #accounts: readonly Pattern[];
  readonly #zones: readonly Pattern[];
  #token: Token | undefined;
  /** The previous token: requests with it may still be in flight. */
  #previous: Token | undefined;
  /** The token that the service rejected last, until what failed with it may be tried again. */
  #rejected: Token | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #changedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<Token> | undefined;
  #valid = true;
  #expiresAt: Date | undefined;
  #verifiedAt = Number.NEGATIVE_INFINITY;
  #tokenIds: readonly string[] = [];

  constructor(options: CredentialOptions, clock: Clock) {
    this.name = options.name;
    this.budget = new Budget(options.budget, clock);
    const { windowMs } = options.budget;
    this.auditShare = new RequestShare(windowMs, () => this.budget.state.perSecond, clock);
    this.analyticsShare = new RequestShare(
      analyticsWindowMs,
      () => Math.min(1, this.budget.state.perSecond / requestsPerQuery),
      clock,
      analyticsShareOfQueries,
    );
    this.sent = new SentWrites(clock);
    this.#options = options;
    this.#clock = clock;
    this.#accounts = options.accounts.map(globIgnoringCase);
    this.#zones = options.zones.map(globIgnoringCase);
  }

  get state(): CredentialState {
    const { name } = this;
    return { ...this.budget.state, name, valid: this.#valid, expiresAt: this.#expiresAt };
  }

  /** Notes whether the service accepts the token. */
  noteValid(valid: boolean): void {
    this.#valid = valid;
    if (!valid) this.#rejected = this.#token;
  }

  /** Whether the last verification of this token is too long ago. */
  get isVerificationDue(): boolean {
    return this.#clock.monotonicMs() - this.#verifiedAt >= verifyEveryMs;
  }

  /**
   * The service's ids of the token and of those before it, newest first; none before the first
   * verification.
   */
  get tokenIds(): readonly string[] {
    return this.#tokenIds;
  }

  /** Notes the id of a token; "" if the service gave none. */
  noteTokenId(id: string): void {
    if (id === "") return;
    const others = this.#tokenIds.filter((other) => other !== id);
    this.#tokenIds = [id, ...others].slice(0, maxTokenIds);
  }

  /** Notes the verification and expiry of `token`; ignored for a previous token. */
  noteVerified(token: Token, expiresAt: Date | undefined): void {
    if (this.#token?.equals(token) !== true) return;
    this.#verifiedAt = this.#clock.monotonicMs();
    this.#expiresAt = expiresAt;
  }

  /** Redacts the token in `text`. */
  scrub(text: string): string {
    const tokens = [this.#token, this.#previous];
    return tokens.reduce((rest, token) => token?.scrub(rest) ?? rest, text);
  }

  serves(zone: Zone): boolean {
    return (
      matchesAny(this.#zones, [zone.name]) &&
      matchesAny(this.#accounts, [zone.accountId, zone.accountName])
    );
  }

  /** The token, read at most ten seconds ago. */
  token(): Token | Promise<Token> {
    const isFresh = this.#clock.monotonicMs() - this.#readAt < rereadMs;
    return this.#token !== undefined && isFresh ? this.#token : this.#read();
  }

  /**
   * Whether a retry may help after the service rejected `rejected`: the token has changed, or is
   * very new.
   */
  async isRenewed(rejected: Token): Promise<boolean> {
    const token = await this.#read();
    return !token.equals(rejected) || this.#clock.monotonicMs() - this.#changedAt < settlingMs;
  }

  /**
   * Whether what failed with a rejected token may succeed now: the service accepts the token again, or the source holds
   * another one. True once for each rejection.
   */
  async mayTryAgain(): Promise<boolean> {
    const rejected = this.#rejected;
    if (rejected === undefined) return false;
    const may = this.#valid || !(await this.#read()).equals(rejected);
    if (may && this.#rejected === rejected) this.#rejected = undefined;
    return may;
  }

  #read(): Promise<Token> {
    this.#reading ??= this.#readSource().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /**
   * While a secret is swapped its file may be missing or empty for a moment: the last token stays
   * in use.
   */
  async #readSource(): Promise<Token> {
    try {
      const token = Token.parse(await this.#options.source.read());
      if (token === undefined) throw this.#noToken("it holds no token");
      const isChanged = this.#token !== undefined && !this.#token.equals(token);
      if (isChanged) {
        this.#changedAt = this.#clock.monotonicMs();
        this.#previous = this.#token;
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

function matchesAny(patterns: readonly Pattern[], texts: readonly string[]): boolean {
  return patterns.length === 0 || patterns.some((matches) => texts.some((text) => matches(text)));
}
