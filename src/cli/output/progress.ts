import { type Host, notesOf, type TextStream } from "../../host/host.ts";
import { durationText } from "../../render/format.ts";

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

/** With more steps than this, the time that is left is worth telling. */
const longTotal = 20;

/** Of so many steps on, their pace tells when the rest will be done. */
const estimatedFrom = 5;

/** How often a log gets a line. */
const lineEveryMs = 30_000;

/**
 * Shows how many of several steps are done, and of many also about how long the rest will take: on a terminal in a line that
 * is erased in the end, elsewhere in a line every half minute. A single step is not worth a line.
 */
export function startProgress(
  label: string,
  total: number,
  host: Pick<Host, "stderr" | "notes" | "clock">,
): Disposable & { readonly step: () => void } {
  const { clock } = host;
  const notes = notesOf(host);
  const line = new StatusLine(notes);
  const begin = clock.monotonicMs();
  let nextLine = begin + lineEveryMs;
  let done = 0;
  const draw = (): void => {
    if (total < 2) return;
    const elapsed = clock.monotonicMs() - begin;
    const text = `${label} ${done}/${total}${timeLeft(done, total, elapsed)}`;
    line.show(text);
    if (notes.isTTY || total <= longTotal || done === total || begin + elapsed < nextLine) return;
    notes.write(`${text}\n`);
    nextLine = begin + elapsed + lineEveryMs;
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

/** About how long the other steps will take, if that is a second or more. */
function timeLeft(done: number, total: number, elapsedMs: number): string {
  if (total <= longTotal || done < estimatedFrom) return "";
  const left = (elapsedMs / done) * (total - done);
  return left < 1_000 ? "" : `, about ${durationText(left)} left`;
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
