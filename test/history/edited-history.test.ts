import { generateKeyPairSync } from "node:crypto";

import * as fc from "fast-check";
import { describe, it } from "vitest";

import { NewLines, sealOf } from "../../src/history/chain/history-chain.ts";
import { coerceObject } from "../../src/syntax/json.ts";
import { entryAt, MemoryHistory, openStore, verified } from "../support/history-files.ts";
import { bytesOf, found, headOf, kept, linesIn, lineWithoutHash } from "../support/kept-history.ts";
import { cases } from "../support/properties.ts";

const keys = generateKeyPairSync("ed25519");

/** Histories of all kinds, and one of another installation. */
async function histories(): Promise<readonly MemoryHistory[]> {
  return Promise.all([
    kept(),
    kept({ entries: 1 }),
    kept({ entries: 5, signKey: keys.privateKey }),
    kept({ entries: 30, maxBytes: 6_000 }),
    kept({ entries: 12, maxBytes: 5_000, signKey: keys.privateKey }),
    kept({ bytes: (await kept()).bytes, from: 30 }),
  ]);
}

/** Where in a file, as a share. */
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const edits = fc.record({
  kind: fc.constantFrom(
    "bit",
    "bytes",
    "cut",
    "line",
    "move",
    "swap",
    "lines",
    "twice",
    "reseal",
    "truncate",
    "splice",
    "insert",
    "unsealed",
  ),
  history: fc.nat(5),
  a: share,
  b: share,
  text: fc.string({ minLength: 1, maxLength: 8, unit: "binary-ascii" }),
  bit: fc.nat(7),
});

type Edit = typeof edits extends fc.Arbitrary<infer T> ? T : never;

/** A history after an edit. */
function edited(before: Buffer, other: Buffer, { kind, a, b, text, bit }: Edit): Buffer {
  const bytes = Buffer.from(before);
  const [from, to] = [a, b]
    .map((each) => Math.floor(each * bytes.length))
    .toSorted((x, y) => x - y);
  const [start = 0, end = 0] = [from, to];
  const lines = linesIn(bytes).filter((line) => line !== "");
  const others = linesIn(other).filter((line) => line !== "");
  const [i, j] = [Math.floor(a * lines.length), Math.floor(b * lines.length)];
  const k = Math.floor(b * others.length);
  const line = lines[i] ?? "";
  const kinds: Record<Edit["kind"], () => Buffer> = {
    bit: () => bytes.fill((bytes[start] ?? 0) ^ (1 << bit), start, start + 1),
    bytes: () =>
      Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(start)]),
    cut: () => Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]),
    truncate: () => bytes.subarray(0, start),
    line: () => bytesOf(lines.with(i, line.replace(/[a-z]+(?=[^a-z]*\n)/, text))),
    move: () => bytesOf(lines.toSpliced(i, 1).toSpliced(j, 0, line)),
    swap: () => bytesOf(lines.with(i, lines[j] ?? "").with(j, line)),
    lines: () => bytesOf(lines.toSpliced(Math.min(i, j), Math.abs(i - j) + 1)),
    twice: () => bytesOf(lines.toSpliced(j, 0, line)),
    reseal: () => bytesOf(lines.with(i, resealed(line))),
    splice: () => bytesOf([...lines.slice(0, i), ...others.slice(k)]),
    insert: () => bytesOf(lines.toSpliced(i, 0, others[k] ?? "")),
    unsealed: () => bytesOf(lines.toSpliced(i, 0, lineWithoutHash(3))),
  };
  return kinds[kind]();
}

/** A line that somebody changed, with a hash that fits it again. */
function resealed(line: string): string {
  const seal = sealOf(Buffer.from(line.trimEnd(), "latin1"));
  if (seal === undefined) return line.replace("found", "done");
  const { hash: _hash, ...content } = coerceObject(JSON.parse(line));
  const { n, prev } = seal;
  const lines = new NewLines({ chain: "c1", n: n - 1, hash: prev }, undefined);
  lines.add({ ...content, more: true }, false);
  return lines.text;
}

/** Whether only somebody who has kept a head can see it: the end is missing, the last line was resealed, or all is new. */
function needsHead(bytes: Buffer, other: Buffer, after: Buffer, { kind }: Edit): boolean {
  const last = linesIn(bytes).at(-1) ?? "";
  const isLastResealed =
    kind === "reseal" &&
    after.subarray(0, bytes.length - last.length).equals(bytes.subarray(0, -last.length));
  return isLastResealed || bytes.subarray(0, after.length).equals(after) || after.equals(other);
}

/** A flaw, or an incomplete last line: what is after the last line feed is no entry for any reader. */
function isFound(said: string): boolean {
  return !said.startsWith("(") || said.endsWith(" torn)");
}

describe("random edits of a history", () => {
  it("are all found: with a head that somebody has kept, and without one unless the end is missing", async ({
    expect,
  }) => {
    const all = await histories();
    const { bytes: other } = await kept({ chain: "c2", from: 3, entries: 6 });
    await fc.assert(
      fc.asyncProperty(edits, async (edit) => {
        const bytes = all[edit.history]?.bytes ?? Buffer.from("");
        const after = edited(bytes, other, edit);
        fc.pre(!after.equals(bytes));
        const withHead = await found([after], { head: headOf(bytes) });
        expect(withHead.filter(isFound)).not.toEqual([]);
        if (needsHead(bytes, other, after, edit)) return;
        expect((await found([after])).filter(isFound)).not.toEqual([]);
      }),
      cases(500),
    );
  });
});

describe("a crash while the history is written", () => {
  it("is never called tampering, and the next start continues the chain", async ({ expect }) => {
    const all = await histories();
    const appends = all.flatMap((store) => store.appends);
    const crash = fc.record({ append: fc.nat(appends.length - 1), a: share, zeros: fc.nat(300) });
    await fc.assert(
      fc.asyncProperty(crash, async ({ append, a, zeros }) => {
        const { before, text } = appends[append] ?? {
          before: Buffer.from(""),
          text: Buffer.from(""),
        };
        const written = text.subarray(0, Math.floor(a * (text.length + 1)));
        // Where the disk had no time for the content, the file has its size and zeros.
        // Of a file that had nothing before, at least the first word is there: another one is not a history file.
        const isTorn = written.length < text.length && before.length + written.length > 5;
        const lost = Buffer.alloc(isTorn ? zeros : 0);
        const left = Buffer.concat([before, written, lost]);
        fc.pre(left.length > 0);
        const crashed = await verified([left]);
        expect(crashed.flaws).toEqual([]);
        const store = new MemoryHistory(left);
        const { log: file, torn } = await openStore(store);
        expect(crashed.remarks.some(({ code }) => code === "torn")).toBe(torn > 0);
        await file.appendAndWait(entryAt(50));
        const { flaws, remarks } = await verified([store.bytes]);
        expect(flaws).toEqual([]);
        expect(remarks.map(({ code }) => code)).not.toContain("torn");
      }),
      cases(500),
    );
  });
});
