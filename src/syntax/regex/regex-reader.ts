import { TextReader } from "../expression/read/text-reader.ts";

/** A position in a regular expression, and the flags that matter for its syntax. */
export class RegexReader extends TextReader {
  /** Whether `(?u)` is on. */
  isUnicode = false;
  /** Whether `(?x)` is on: white space and comments do not count. */
  isVerbose = false;

  constructor(pattern: string) {
    super(pattern, 0);
  }

  /** Consumes what the sticky `pattern` matches here, and returns its groups. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.position += found[0].length;
    return found;
  }

  /** Skips white space and comments, if they do not count here. */
  skipVerbose(): void {
    if (this.isVerbose) this.take(/(?:\s+|#[^\n]*)*/y);
  }
}
