import { sealOf } from "../history/chain/history-chain.ts";
import { linesOf, readHistory, recordIn } from "../history/file/history-lines.ts";
import {
  type HistoryFile,
  type HistoryProof,
  verifyHistory,
} from "../history/verify/verify-history.ts";
import { sha256 } from "../syntax/digest.ts";
import type { EvidenceInput } from "./evidence-input.ts";

/** Reads and checks histories, oldest first. Lines that several copies have count once. */
export async function readKeptHistory(
  histories: readonly HistoryFile[],
  proof: HistoryProof,
): Promise<Pick<EvidenceInput, "history" | "records" | "entries">> {
  const check = await verifyHistory(histories, proof);
  const uncovered: (Date | undefined)[] = [];
  const isShown = (line: Uint8Array): boolean => {
    const seal = sealOf(line);
    const isCovered = seal?.isWhole === true && check.covered?.has(seal.hash) === true;
    if (!isCovered) uncovered.push(recordIn({ text: new TextDecoder().decode(line) })?.at);
    return isCovered;
  };
  const shown = uniqueLines(
    histories.map(({ pieces }) => pieces()),
    check.covered === undefined ? undefined : isShown,
  );
  const { entries, scripts, damaged, firstAt, lastAt } = await readHistory(shown);
  return {
    history: {
      files: check.files.map(({ seals, ...file }) => ({ ...file, head: seals.at(-1) })),
      flaws: check.flaws,
      remarks: check.remarks,
      damaged: damaged.length,
      uncovered,
      firstAt,
      lastAt,
      isProved: proof.head !== undefined || proof.key !== undefined,
    },
    records: scripts,
    entries,
  };
}

const lineFeed = Buffer.from("\n");

async function* uniqueLines(
  files: readonly AsyncIterable<Uint8Array>[],
  isShown: (line: Uint8Array) => boolean = () => true,
): AsyncGenerator<Uint8Array> {
  const known = new Set<string>();
  for (const pieces of files) {
    for await (const { bytes } of linesOf(pieces)) {
      const hash = sha256(bytes);
      if (known.has(hash)) continue;
      known.add(hash);
      if (isShown(bytes)) yield Buffer.concat([bytes, lineFeed]);
    }
  }
}
