import { inspect } from "node:util";

/** An API token that cannot be printed: whatever shows it shows `[token]`. */
export class Token {
  readonly #value: string;
  readonly #authorization: string;
  /** As JSON writes it. */
  readonly #escaped: string;

  private constructor(value: string) {
    this.#value = value;
    this.#authorization = `Bearer ${value}`;
    this.#escaped = JSON.stringify(value).slice(1, -1);
  }

  /** Reads a token, with or without white space around it; `undefined` where `text` can be none. */
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

  /** `text` without the token, plain or as JSON writes it. */
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
