import { sha256 } from "../../syntax/digest.ts";
import type { ChainRecord } from "./chain-records.ts";
import { type ChainHead, sealOf } from "./history-chain.ts";

/** Follows the lines of a file, to know where its chain ends. It does not check the lines. */
export class ChainTail {
  readonly #lastN: number;
  #chain = "";
  #last: Omit<ChainHead, "chain"> | undefined;
  #hasNewLines = false;
  #dailyHeadAt: Date | undefined;

  /** @param lastN the last line has at least this number, whatever it says. */
  constructor(lastN = 0) {
    this.#lastN = lastN;
  }

  /** Adds a line, given without its line feed, and what it says. */
  add(line: Uint8Array, record: ChainRecord | undefined): void {
    this.#hasNewLines = record?.record !== "head";
    this.#chain = record?.chain ?? this.#chain;
    if (record?.record === "head" && record.reason === "daily") this.#dailyHeadAt = record.at;
    // A damaged line stays in the file: the next one follows it.
    this.#last = sealOf(line) ?? { n: (this.#last?.n ?? 0) + 1, hash: sha256(line) };
  }

  /** The last line; `undefined` if there is none. */
  get head(): ChainHead | undefined {
    if (this.#last === undefined) return undefined;
    const { n, hash } = this.#last;
    return { chain: this.#chain, n: Math.max(n, this.#lastN), hash };
  }

  /** When the head was last recorded once a day. */
  get dailyHeadAt(): Date | undefined {
    return this.#dailyHeadAt;
  }

  /** Whether lines were added since a head was recorded. */
  get hasNewLines(): boolean {
    return this.#hasNewLines;
  }
}
