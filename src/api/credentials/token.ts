import { inspect } from "node:util";

/** An API token that is never printed: it shows as `[token]`. */
export class Token {
  readonly #value: string;
  readonly #authorization: string;
  /** The value in a JSON string. */
  readonly #escaped: string;

  private constructor(value: string) {
    this.#value = value;
    this.#authorization = `Bearer ${value}`;
    this.#escaped = JSON.stringify(value).slice(1, -1);
  }

  /** Parses a token, ignoring surrounding white space; `undefined` for an invalid one. */
  static parse(text: string): Token | undefined {
    const value = text.trim();
    return /^[\u0021-\u007e]{1,4096}$/.test(value) ? new Token(value) : undefined;
  }

  /** Value of the `Authorization` header. */
  get authorization(): string {
    return this.#authorization;
  }

  equals(other: Token): boolean {
    return this.#value === other.#value;
  }

  /** Redacts the token in `text`, plain or in a JSON string. */
  scrub(text: string): string {
    if (text.length < this.#value.length) return text;
    return text.replaceAll(this.#value, "[token]").replaceAll(this.#escaped, "[token]");
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
