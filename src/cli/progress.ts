import type { TextStream } from "./machine.ts";

/** A line that counts while something goes on. */
export interface Progress extends Disposable {
  step(): void;
}

/** Counts on a terminal, in one line that is gone afterwards; elsewhere says nothing. */
export function startProgress(label: string, total: number, stream: TextStream): Progress {
  if (!stream.isTTY || total < 2) {
    return { step: () => undefined, [Symbol.dispose]: () => undefined };
  }
  let done = 0;
  const draw = (): void => {
    stream.write(`\r\u{1b}[2K${label} ${done}/${total}`);
  };
  draw();
  return {
    step: () => {
      done += 1;
      draw();
    },
    [Symbol.dispose]: () => {
      stream.write("\r\u{1b}[2K");
    },
  };
}

/** A line that tells how much of something has been read. */
export interface ReadingLine extends Disposable {
  readonly report: (read: number, total: number | undefined) => void;
}

/** Tells on a terminal how far a long list is read, in one line that is gone afterwards; elsewhere says nothing. */
export function startReading(label: string, stream: TextStream): ReadingLine {
  if (!stream.isTTY) return { report: () => undefined, [Symbol.dispose]: () => undefined };
  return {
    report: (read, total) => {
      stream.write(`\r\u{1b}[2K${label} ${read}${total === undefined ? "" : `/${total}`}`);
    },
    [Symbol.dispose]: () => {
      stream.write("\r\u{1b}[2K");
    },
  };
}
