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

  /** Skips white space and comments, if they do not count here. */
  skipVerbose(): void {
    if (this.isVerbose) this.take(/(?:\s+|#[^\n]*)*/y);
  }
}
