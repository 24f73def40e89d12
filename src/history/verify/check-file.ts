import type { KeyObject } from "node:crypto";

import { sha256 } from "../../syntax/digest.ts";
import type { ChainRecord } from "../chain/chain-records.ts";
import { isSignedBy, type Seal, sealOf } from "../chain/history-chain.ts";
import { type HistoryLine, linesOf, recordIn } from "../file/history-lines.ts";
import { type Break, breakFlaws } from "./chain-breaks.ts";
import type { ClaimedDrop } from "./file-beginning.ts";
import type { Finding, FoundInFile, PlacedSeal } from "./history-finding.ts";
import { findingOfTail } from "./torn-tail.ts";

/** What one file holds. */
export interface CheckedFile {
  readonly file: string;
  readonly lines: number;
  /** Names of the chains that its lines name. */
  readonly chains: readonly string[];
  readonly seals: readonly PlacedSeal[];
  readonly firstAt: Date | undefined;
  readonly lastAt: Date | undefined;
  /** In the order of the lines that say it. */
  readonly drops: readonly ClaimedDrop[];
  readonly found: readonly Finding[];
}

/** A clock that is set, as opposed to runs that end at almost the same time. */
const clockJumpMs = 60_000;

/** Checks each line of a file with its neighbours, and the end of the file. */
export async function checkFile(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  key: KeyObject | undefined,
): Promise<CheckedFile> {
  const check = new FileCheck(file, key);
  let rest: Uint8Array = new Uint8Array();
  const lines = linesOf(pieces, (bytes) => {
    rest = bytes;
  });
  for await (const line of lines) check.add(line);
  return check.end(rest);
}

/** The line before the next one. */
interface Before {
  /** By which hashes the next line may name it. */
  readonly hashes: readonly string[];
  readonly n: number | undefined;
  readonly isWhole: boolean;
}

/** Whether a line does not follow the line before, and what was found of that one does not explain it. */
function isBreak({ hashes, isWhole, n }: Before, seal: Seal): boolean {
  if (hashes.includes(seal.prev)) return false;
  return isWhole || (n !== undefined && seal.n !== n + 1);
}

class FileCheck {
  readonly #file: string;
  readonly #key: KeyObject | undefined;
  readonly #chains = new Set<string>();
  readonly #seals: PlacedSeal[] = [];
  readonly #found: FoundInFile[] = [];
  /** Lines that do not follow the line before. */
  readonly #breaks: Break[] = [];
  #lines = 0;
  /** Number of the last line in the chain, as the daemon counts: also a line without a hash has one. */
  #n = 0;
  #before: Before | undefined;
  #firstAt: Date | undefined;
  #lastAt: Date | undefined;
  #writtenAt: Date | undefined;
  readonly #drops: ClaimedDrop[] = [];

  constructor(file: string, key: KeyObject | undefined) {
    this.#file = file;
    this.#key = key;
  }

  add(line: HistoryLine): void {
    this.#lines = line.number;
    const seal = sealOf(line.bytes);
    const record = recordIn(line);
    // What carries no right hash may say anything.
    if (seal?.isWhole === true && record !== undefined) this.#see(line.number, record, seal);
    if (seal === undefined) this.#addWithoutHash(line, record !== undefined);
    else this.#addSealed(line, seal);
  }

  #addSealed(line: HistoryLine, seal: Seal): void {
    const { n, hash, isWhole } = seal;
    this.#n = n;
    if (!isWhole) this.#tell(line.number, "changed", "the line was changed after it was written");
    const placed = { ...seal, line: line.number, isSigned: this.#isSigned(line, seal) };
    this.#seals.push(placed);
    if (this.#before !== undefined && isBreak(this.#before, seal)) {
      this.#breaks.push({ seal: placed, before: this.#before.n });
    }
    this.#before = { hashes: isWhole ? [hash] : [hash, sha256(line.bytes)], n, isWhole };
  }

  end(rest: Uint8Array): CheckedFile {
    const found = [...this.#found, ...breakFlaws(this.#breaks, this.#seals)];
    if (rest.length > 0) {
      const tail = {
        line: this.#lines + 1,
        n: this.#n + 1,
        prevs: this.#before?.hashes ?? [""],
      };
      found.push(findingOfTail(rest, tail));
    } else if (this.#lines === 0) {
      found.push({ line: 0, code: "empty", message: "the file has no lines, or does not exist" });
    }
    return {
      file: this.#file,
      lines: this.#lines,
      chains: [...this.#chains],
      seals: this.#seals,
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      drops: this.#drops,
      found: found
        .map((each) => ({ file: this.#file, ...each }))
        .toSorted((a, b) => a.line - b.line),
    };
  }

  #addWithoutHash({ number, bytes }: HistoryLine, isRecord: boolean): void {
    if (isRecord) this.#tell(number, "no_hash", "the line carries no hash: somebody inserted it");
    else this.#tell(number, "changed", damagedEnds);
    this.#n += 1;
    this.#before = { hashes: [sha256(bytes)], n: undefined, isWhole: false };
  }

  #see(line: number, record: NonNullable<ReturnType<typeof recordIn>>, { hash }: Seal): void {
    const { at } = record;
    this.#firstAt ??= at;
    this.#lastAt = at;
    if ("record" in record) this.#seeRecord(line, record, hash);
    // The entry of a killed run has the time of the run.
    if ("result" in record && record.result === "interrupted") return;
    const backMs = Number(this.#writtenAt ?? at) - Number(at);
    if (backMs > clockJumpMs) {
      const seconds = Math.round(backMs / 1000);
      const says = `the clock went back by ${seconds} s before this line: the order of the lines counts, not their times`;
      this.#tell(line, "clock", says);
    }
    this.#writtenAt = at;
  }

  #seeRecord(line: number, record: ChainRecord, hash: string): void {
    if (this.#chains.size > 0 && !this.#chains.has(record.chain)) {
      const says = `lines of another history follow: chain ${record.chain}, not ${[...this.#chains].join(", ")}`;
      this.#tell(line, "other_history", says);
    }
    this.#chains.add(record.chain);
    if (record.record === "dropped") this.#drops.push({ hash, dropped: record.dropped });
  }

  #isSigned({ number, bytes }: HistoryLine, { signature }: Seal): boolean {
    if (this.#key === undefined || signature === undefined) return false;
    const isRight = isSignedBy(this.#key, bytes, signature);
    if (!isRight) this.#tell(number, "wrong_signature", "the signature is not one of this key");
    return isRight;
  }

  #tell(line: number, code: Finding["code"], message: string): void {
    this.#found.push({ line, code, message });
  }
}

const damagedEnds = "the line is damaged, or was changed at its beginning or end";
