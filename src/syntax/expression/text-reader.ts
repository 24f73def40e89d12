import {
  type Span,
  type SyntaxDiagnostic,
  type SyntaxDiagnosticCode,
  diagnostic,
} from "../syntax-diagnostic.ts";

/** A place in a text, moving forward only, and the first mistake met there. */
export class TextReader {
  readonly text: string;
  #position: number;
  #mistake: SyntaxDiagnostic | undefined;

  constructor(text: string, position: number) {
    this.text = text;
    this.#position = position;
  }

  get position(): number {
    return this.#position;
  }

  get atEnd(): boolean {
    return this.#position >= this.text.length;
  }

  /** The mistake that ended the reading, if one did. */
  get mistake(): SyntaxDiagnostic | undefined {
    return this.#mistake;
  }

  /** Takes what the sticky `pattern` finds here, or nothing: `undefined`. */
  take(pattern: RegExp): string | undefined {
    const found = this.peek(pattern);
    if (found !== undefined) this.#position += found.length;
    return found;
  }

  /** What the sticky `pattern` finds here. */
  peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    return pattern.exec(this.text)?.[0];
  }

  /** Whether `literal` stood here; if so, it is taken. */
  skip(literal: string): boolean {
    const found = this.text.startsWith(literal, this.#position);
    if (found) this.#position += literal.length;
    return found;
  }

  /** Goes on to `position`. */
  moveTo(position: number): void {
    this.#position = position;
  }

  /** Passes over white space of the language: space, CR and LF (SERVICE.md D). */
  skipSpace(): void {
    this.take(/[ \r\n]*/y);
  }

  /** The span from `start` to here. */
  since(start: number): Span {
    return { offset: start, length: this.#position - start };
  }

  /** Notes a mistake, unless one was noted before, and gives `undefined`, which every parser passes on. */
  fail(code: SyntaxDiagnosticCode, span: Span, message: string, remedy: string): undefined {
    this.#mistake ??= diagnostic(code, span, message, remedy);
    return undefined;
  }
}
