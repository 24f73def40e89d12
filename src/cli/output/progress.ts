import type { TextStream } from "../../host/host.ts";

/** Moves to the beginning of the line and clears it. */
const erase = "\r\u{1b}[2K";

/** A line on a terminal that is overwritten again and again and erased in the end. Prints nothing elsewhere. */
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

/** Shows on a terminal how many of several steps are done. A single step is not worth a line. */
export function startProgress(
  label: string,
  total: number,
  stream: TextStream,
): Disposable & { readonly step: () => void } {
  const line = new StatusLine(stream);
  let done = 0;
  const draw = (): void => {
    if (total > 1) line.show(`${label} ${done}/${total}`);
  };
  draw();
  return {
    step: () => {
      done += 1;
      draw();
    },
    [Symbol.dispose]: () => line.clear(),
  };
}

/** Shows on a terminal how much of a long list has been read. */
export function startReading(
  label: string,
  stream: TextStream,
): Disposable & { readonly report: (read: number, total: number | undefined) => void } {
  const line = new StatusLine(stream);
  return {
    report: (read, total) => {
      line.show(`${label} ${read}${total === undefined ? "" : `/${total}`}`);
    },
    [Symbol.dispose]: () => line.clear(),
  };
}
