import type { Span, SyntaxDiagnostic, SyntaxDiagnosticCode } from "../../syntax-diagnostic.ts";

/** A position in a text, and the first error of the parser. */
export class TextReader {
  readonly text: string;
  position: number;
  /** The error that ended the parsing. */
  error: SyntaxDiagnostic | undefined;

  constructor(text: string, position: number) {
    this.text = text;
    this.position = position;
  }

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  /** Consumes and returns what the sticky `pattern` matches here. */
  take(pattern: RegExp): string | undefined {
    const found = this.peek(pattern);
    if (found !== undefined) this.position += found.length;
    return found;
  }

  /** Consumes and returns what the sticky `pattern` matches here, or "". */
  takeAny(pattern: RegExp): string {
    return this.take(pattern) ?? "";
  }

  /** Consumes what the sticky `pattern` matches here, and returns its groups. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.position += found[0].length;
    return found;
  }

  /** What the sticky `pattern` matches here. */
  peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    return pattern.exec(this.text)?.[0];
  }

  /** Consumes `literal` if it is here, and returns whether it was. */
  skip(literal: string): boolean {
    const found = this.text.startsWith(literal, this.position);
    if (found) this.position += literal.length;
    return found;
  }

  /** Skips white space of the language: space, CR and LF (SERVICE.md D). */
  skipSpace(): void {
    this.take(/[ \r\n]*/y);
  }

  /** The span from `start` to here. */
  since(start: number): Span {
    return { offset: start, length: this.position - start };
  }

  /**
   * Records the first error, at a span or from a start to here; returns `undefined` for the parser
   * to pass on.
   */
  fail(code: SyntaxDiagnosticCode, at: Span | number, message: string, remedy: string): undefined {
    const { offset, length } = typeof at === "number" ? this.since(at) : at;
    this.error ??= { code, severity: "error", message, remedy, offset, length };
    return undefined;
  }
}
