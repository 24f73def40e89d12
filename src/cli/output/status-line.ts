import type { TextStream } from "../../host/host.ts";

/** To the beginning of the line, and nothing in it any more. */
const erase = "\r\u{1b}[2K";

/** A line of a terminal that is written over again and again, and gone in the end; elsewhere there is none. */
export class StatusLine {
  readonly #stream: TextStream;
  #isShown = false;

  constructor(stream: TextStream) {
    this.#stream = stream;
  }

  show(text: string): void {
    if (!this.#stream.isTTY) return;
    this.#stream.write(`${erase}${text}`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#stream.write(erase);
    this.#isShown = false;
  }
}
