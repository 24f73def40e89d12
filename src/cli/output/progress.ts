import type { TextStream } from "../../host/host.ts";
import { StatusLine } from "./status-line.ts";

/** A line that counts while something goes on. */
export interface Progress extends Disposable {
  step(): void;
}

/** Counts on a terminal, in one line that is gone afterwards; elsewhere, and of one thing, says nothing. */
export function startProgress(label: string, total: number, stream: TextStream): Progress {
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
    [Symbol.dispose]: () => {
      line.clear();
    },
  };
}

/** A line that tells how much of something has been read. */
export interface ReadingLine extends Disposable {
  readonly report: (read: number, total: number | undefined) => void;
}

/** Tells on a terminal how far a long list is read, in one line that is gone afterwards; elsewhere says nothing. */
export function startReading(label: string, stream: TextStream): ReadingLine {
  const line = new StatusLine(stream);
  return {
    report: (read, total) => {
      line.show(`${label} ${read}${total === undefined ? "" : `/${total}`}`);
    },
    [Symbol.dispose]: () => {
      line.clear();
    },
  };
}
