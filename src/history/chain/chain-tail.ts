import { createHash } from "node:crypto";

import { sha256 } from "../../syntax/digest.ts";
import type { ChainRecord, HeadReason, UnchainedLines } from "./chain-records.ts";
import { type ChainHead, sealOf } from "./history-chain.ts";

/** Counts the lines of an older version at the beginning of a file, and hashes them. */
export class UnchainedCount {
  readonly #hash = createHash("sha256");
  #lines = 0;

  /** Adds a line, given without its line feed. */
  add(line: Uint8Array): void {
    this.#lines += 1;
    this.#hash.update(line).update("\n");
  }

  get total(): UnchainedLines {
    return { lines: this.#lines, sha256: this.#hash.copy().digest("hex") };
  }
}

/** Follows the lines of a file, to know where its chain ends. It does not check the lines. */
export class ChainTail {
  readonly #unchained = new UnchainedCount();
  readonly #headAt = new Map<HeadReason, Date>();
  #chain = "";
  #last: Omit<ChainHead, "chain"> | undefined;
  #hasNewLines = false;

  /** Adds a line, given without its line feed, and what it says. */
  add(line: Uint8Array, record: ChainRecord | undefined): void {
    const seal = sealOf(line);
    if (seal === undefined && this.#last === undefined) {
      this.#unchained.add(line);
      return;
    }
    this.#hasNewLines = record === undefined || record.record !== "head";
    this.#chain = record?.chain ?? this.#chain;
    if (record?.record === "head") this.#headAt.set(record.reason, record.at);
    // A damaged line stays in the file: the next one follows it.
    this.#last = seal ?? { n: (this.#last?.n ?? 0) + 1, hash: sha256(line) };
  }

  /** The last line; `undefined` if no line has a hash. */
  get head(): ChainHead | undefined {
    return this.#last && { chain: this.#chain, n: this.#last.n, hash: this.#last.hash };
  }

  /** The lines before the chain. */
  get unchained(): UnchainedLines {
    return this.#unchained.total;
  }

  /** When the head was last recorded once a day. */
  get dailyHeadAt(): Date | undefined {
    return this.#headAt.get("daily");
  }

  /** Whether lines were added since a head was recorded. */
  get hasNewLines(): boolean {
    return this.#hasNewLines;
  }
}
