import { inspect } from "node:util";

import { TokenForms } from "./token-forms.ts";

/** An API token that is never printed: it shows as `[token]`. */
export class Token {
  readonly #value: string;
  readonly #forms: TokenForms;

  private constructor(value: string) {
    this.#value = value;
    this.#forms = new TokenForms(value);
  }

  /** Parses a token, ignoring surrounding white space; `undefined` for an invalid one. */
  static parse(text: string): Token | undefined {
    const value = text.trim();
    return /^[\u0021-\u007e]{1,4096}$/.test(value) ? new Token(value) : undefined;
  }

  /** Value of the `Authorization` header. */
  get authorization(): string {
    return `Bearer ${this.#value}`;
  }

  equals(other: Token): boolean {
    return this.#value === other.#value;
  }

  /**
   * Redacts the token in `text`: plain, in a JSON string, and in other forms ({@link TokenForms}).
   */
  scrub(text: string): string {
    const escaped = JSON.stringify(this.#value).slice(1, -1);
    const plain = text.replaceAll(this.#value, "[token]").replaceAll(escaped, "[token]");
    return this.#forms.scrub(plain, "[token]");
  }

  toString(): string {
    return "[token]";
  }

  toJSON(): string {
    return "[token]";
  }

  [inspect.custom](): string {
    return "[token]";
  }
}
