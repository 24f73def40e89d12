import { InvalidArgumentError } from "commander";

import type { Host } from "../../host/host.ts";

/** The person ended the input. */
export class Unanswered extends Error {}

/** A question about a value. */
export interface Question<T> {
  readonly text: string;
  /** What an empty answer means, as a person would type it. */
  readonly byDefault: string;
  /** Reads an answer; throws an `InvalidArgumentError` that says what to write. */
  readonly read: (answer: string) => T;
}

/** Asks on the terminal, or takes the default of each question. Rejects with `Unanswered` if the input ends. */
export class Questions {
  readonly #host: Pick<Host, "ask" | "stderr">;
  readonly #stop: AbortSignal;
  readonly areAsked: boolean;

  constructor(host: Pick<Host, "ask" | "stderr">, areAsked: boolean, stop: AbortSignal) {
    this.#host = host;
    this.#stop = stop;
    this.areAsked = areAsked;
  }

  /** @param given the value of a flag, about which nobody is asked. */
  async value<T>({ text, byDefault, read }: Question<T>, given?: T): Promise<T> {
    if (given !== undefined) return given;
    if (!this.areAsked) return read(byDefault);
    for (;;) {
      const answer = await this.#line(`${text}${byDefault === "" ? "" : ` [${byDefault}]`}: `);
      try {
        return read(answer === "" ? byDefault : answer);
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        this.#host.stderr.write(`${error.message}\n`);
      }
    }
  }

  /** @param given the value of a flag, about which nobody is asked. */
  agrees(text: string, byDefault: boolean, given?: boolean): Promise<boolean> {
    return this.value({ text, byDefault: byDefault ? "y" : "n", read: yesOrNo }, given);
  }

  async #line(text: string): Promise<string> {
    const answer = await this.#host.ask(text, this.#stop);
    if (answer === undefined) throw new Unanswered();
    return answer.trim();
  }
}

function yesOrNo(answer: string): boolean {
  if (/^(y|yes)$/i.test(answer)) return true;
  if (/^(n|no)$/i.test(answer)) return false;
  throw new InvalidArgumentError("Answer y or n.");
}
