import { generateKeyPairSync } from "node:crypto";

import { describe, it } from "vitest";

import { type Evidence, evidenceOf } from "../../src/evidence/evidence.ts";
import { readKeptHistory } from "../../src/evidence/kept-history.ts";
import type { HistoryProof } from "../../src/history/verify/verify-history.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import { checkAt, hostile, pay } from "../support/evidence-pack.ts";
import { historyOfChecks } from "../support/evidence-story.ts";
import { shop } from "../support/fleets.ts";
import {
  chainedAnew,
  chainForgeries,
  edits,
  type Forgery,
  type Lines,
  wholeLines,
  withRecords,
} from "../support/forged-lines.ts";
import { MemoryHistory } from "../support/history-files.ts";
import { bytesOf, headOf } from "../support/kept-history.ts";
import { authorised, declaredScripts } from "../support/watched.ts";

const keys = generateKeyPairSync("ed25519");
const period = { since: new Date("2026-11-02T00:00:00Z"), until: new Date("2026-11-07T00:00:00Z") };

/** A script comes, and stays for a day; on the fourth day nothing was checked. */
const checks = [checkAt(0, pay), checkAt(1, pay, hostile), checkAt(2, pay), checkAt(4, pay)];

/** The pack of a history, as the command makes it. */
async function packOf(bytes: Uint8Array, proof: HistoryProof): Promise<Evidence> {
  const store = new MemoryHistory(bytes);
  const kept = await readKeptHistory(
    [{ file: "history.jsonl", pieces: () => store.read() }],
    proof,
  );
  const declared = { scripts: declaredScripts([authorised(pay)]), policies: [] };
  const files = { revision: "sha256-1", commit: "c0ffee" };
  const subjects = [{ zone: shop, declared }];
  return evidenceOf({ ...kept, period, subjects, files, isChecking: true, past: new Map() });
}

/** What a pack says that it has seen: its days with a check, findings, scripts and runs, and the known statuses. */
function claimsOf({ zones }: Evidence): readonly string[] {
  return zones.flatMap(({ days, findings, scripts, runs, statuses }) => [
    ...days.flatMap((each) => (each.status === "checked" ? [`checked ${each.day}`] : [])),
    ...findings.flatMap(({ id, steps }) =>
      steps.map(({ at, event }) => `${event} ${id} ${at.toISOString()}`),
    ),
    ...scripts.flatMap(({ url, steps }) =>
      steps.map(({ at, event }) => `${event} ${url} ${at.toISOString()}`),
    ),
    ...runs.map(({ at, result }) => `${result} ${at.toISOString()}`),
    ...statuses.flatMap(({ status, since, until }) =>
      status === undefined ? [] : hoursOf(since, until).map((hour) => `${status} ${hour}`),
    ),
  ]);
}

function hoursOf(since: Date, until: Date): readonly string[] {
  const hour = 3_600_000;
  const count = Math.ceil((Number(until) - Number(since)) / hour);
  return Array.from({ length: count }, (_, index) =>
    new Date(Math.floor(Number(since) / hour + index) * hour).toISOString(),
  );
}

/** The line of a check or run, told of another day. */
function moved(line: string): string {
  return line.replace(/^\{"at":"[^T]*/, '{"at":"2026-11-05');
}

function movedContent(content: JsonObject): JsonObject {
  return { ...content, at: "2026-11-05T12:00:00.000Z" };
}

/** Edits of what the lines say, and those of the chain. */
const allEdits: typeof edits = {
  ...edits,
  "the last check cut, with what follows": (lines) => lines.slice(0, -3),
  "the second half cut": (lines) => lines.slice(0, Math.floor(lines.length / 2)),
  "the first line told of another day": (lines) => lines.with(0, moved(lines[0] ?? "")),
  "a check changed, with its hash": (lines) => lines.with(3, moved(lines[3] ?? "")),
  "a changed copy beside its line": (lines) => lines.toSpliced(4, 0, moved(lines[3] ?? "")),
  "a changed copy at the end": (lines) => [...lines, moved(lines[3] ?? "")],
  "all checks told of another day, chained anew": (lines) => chainedAnew(lines, 1, movedContent),
  "the last check told of another day, chained anew": (lines) =>
    chainedAnew(lines, lines.length - 3, movedContent),
};

const additions: readonly (readonly Forgery[])[] = [
  [],
  ...chainForgeries.map((one) => [one]),
  ["dropped", "head"],
];

describe("a pack of a history that somebody forges", () => {
  it.for([{ proof: "key" }, { proof: "head" }, { proof: "key and head" }])(
    "shows nothing forged, and tells what is missing: with the $proof",
    async (given, { expect }) => {
      const bytes = await historyOfChecks(checks, shop, keys.privateKey);
      const lines = wholeLines(bytes);
      const head = headOf(bytes);
      const proof = {
        head: given.proof.includes("head") ? head : undefined,
        key: given.proof.includes("key") ? keys.publicKey : undefined,
      };
      const honest = await packOf(bytes, proof);
      const claims = new Set(claimsOf(honest));
      expect(honest.history.flaws).toEqual([]);
      expect([...claims].filter((claim) => claim.startsWith("checked"))).toHaveLength(4);
      const found: string[] = [];
      for (const [edit, change] of Object.entries(allEdits)) {
        for (const forged of additions) {
          const after: Lines = withRecords(change(lines), forged, head);
          const pack = await packOf(bytesOf(after), proof);
          const shown = claimsOf(pack);
          const invented = shown.filter((claim) => !claims.has(claim));
          const isTold = pack.limits.some((limit) => !honest.limits.includes(limit));
          const isWhole = shown.length === claims.size;
          if (invented.length === 0 && (isWhole || isTold)) continue;
          found.push(
            `${edit}, ${forged.join(" ")}: ${invented.join("; ") || "missing and not told"}`,
          );
        }
      }
      expect(found).toEqual([]);
    },
  );
});
