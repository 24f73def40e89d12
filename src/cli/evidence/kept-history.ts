import path from "node:path";

import type { Host } from "../../host/host.ts";
import type { EvidenceInput } from "../../state/evidence/evidence-pack.ts";
import { sha256 } from "../../telemetry/history/history-chain.ts";
import { linesOf, readHistory } from "../../telemetry/history/history-lines.ts";
import { type HistoryProof, verifyHistory } from "../../telemetry/history/verify-history.ts";

/** Reads and checks history files, oldest first. Lines that several copies have count once. */
export async function readKeptHistory(
  files: readonly string[],
  proof: HistoryProof,
  host: Host,
): Promise<Pick<EvidenceInput, "history" | "records" | "entries">> {
  const bytesOf = (file: string): AsyncIterable<Uint8Array> =>
    host.historyStore(path.resolve(host.directory, file)).read(0);
  const check = await verifyHistory(
    files.map((file) => ({ file, pieces: bytesOf(file) })),
    proof,
  );
  const { entries, scripts, damaged } = await readHistory(uniqueLines(files.map(bytesOf)));
  return {
    history: {
      files: check.files.map(({ seals, ...file }) => ({ ...file, head: seals.at(-1) })),
      flaws: check.flaws,
      remarks: check.remarks,
      damaged: damaged.length,
      isProved: proof.head !== undefined || proof.key !== undefined,
    },
    records: scripts,
    entries,
  };
}

const lineFeed = Buffer.from("\n");

async function* uniqueLines(
  files: readonly AsyncIterable<Uint8Array>[],
): AsyncGenerator<Uint8Array> {
  const known = new Set<string>();
  for (const pieces of files) {
    for await (const { bytes } of linesOf(pieces)) {
      const hash = sha256(bytes);
      if (known.has(hash)) continue;
      known.add(hash);
      yield Buffer.concat([bytes, lineFeed]);
    }
  }
}
