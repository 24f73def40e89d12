import { generateKeyPairSync } from "node:crypto";

import { describe, it } from "vitest";

import { NewLines, sealOf } from "../../src/history/chain/history-chain.ts";
import { recordIn } from "../../src/history/file/history-lines.ts";
import { historyJson } from "../../src/history/history-json.ts";
import type { HistoryProof } from "../../src/history/verify/verify-history.ts";
import { sha256 } from "../../src/syntax/digest.ts";
import { entryAt, verified } from "../support/history-files.ts";
import {
  bytesOf,
  found,
  headOf,
  type Kept,
  kept,
  linesIn,
  lineWithoutHash,
} from "../support/kept-history.ts";
import { at, hold } from "../support/reports.ts";

const keys = generateKeyPairSync("ed25519");
const { publicKey: otherKey } = generateKeyPairSync("ed25519");

describe("a history as it was written", () => {
  it.for<{ when: string; options: Kept; says?: readonly string[] }>([
    { when: "new", options: {} },
    {
      when: "signed, without the key",
      options: { signKey: keys.privateKey },
      says: ["(0 not_checked)"],
    },
    { when: "after drops", options: { entries: 30, maxBytes: 6_000 }, says: ["(1 dropped)"] },
  ])("is intact: $when", async ({ options, says = [] }, { expect }) => {
    const { bytes } = await kept(options);
    const said = await found([bytes]);
    expect(said.map((each) => each.replace(/^\(\d+ dropped/, "(1 dropped"))).toEqual(says);
  });

  it("says that the program dropped damaged lines, whose time nobody knows", async ({ expect }) => {
    const { bytes } = await kept({ bytes: Buffer.from('{"at":"when?"}\n'), entries: 2 });
    const { flaws, remarks } = await verified([bytes]);
    expect(flaws).toEqual([]);
    expect(remarks.map(({ message }) => message)).toEqual([
      "the program dropped the lines before, up to line 0 of the chain and an unknown time",
    ]);
  });

  it("says up to which time the program dropped lines", async ({ expect }) => {
    const { bytes } = await kept({ entries: 30, maxBytes: 6_000 });
    const { remarks } = await verified([bytes]);
    expect(remarks[0]?.message).toMatch(
      new RegExp(`up to line \\d+ of the chain and ${at(1).toISOString().slice(0, 13)}:\\d\\d:`),
    );
  });

  it("has a chain with a name although its first line is damaged", async ({ expect }) => {
    const { bytes } = await kept({ entries: 1 });
    const [begin = "", entry = ""] = linesIn(bytes);
    const damaged = bytesOf([begin.replace("chain", "\0\0\0\0\0"), entry]);
    const later = await kept({ bytes: damaged, chain: "c2", from: 10, entries: 1 });
    // The program drops the damaged line, and says so in the chain.
    const { files } = await verified([later.bytes]);
    expect(files.map(({ chains }) => chains)).toEqual([["c2"]]);
    expect(await found([later.bytes])).toEqual(["(1 dropped)"]);
    const full = await kept({
      bytes: damaged,
      chain: "c2",
      from: 10,
      entries: 30,
      maxBytes: 6_000,
    });
    expect(await found([full.bytes])).toEqual([expect.stringMatching(/^\(\d+ dropped\)$/)]);
  });

  it.for([
    { entries: 0, whole: ["1 no_hash", "2 missing_start"], torn: ["1 no_hash", "(2 torn)"] },
    { entries: 3, whole: ["6 no_hash"], torn: ["6 no_hash", "(7 torn)"] },
  ])(
    "names the line without a hash after which the daemon went on, or crashed: $torn",
    async ({ entries, whole, torn }, { expect }) => {
      const { bytes } = await kept({ entries });
      const edited = Buffer.concat([bytes, Buffer.from(lineWithoutHash(9))]);
      const later = await kept({ bytes: edited, chain: "c2", from: 10, entries: 2 });
      expect(await found([later.bytes])).toEqual(whole);
      const next = bytesOf(linesIn(later.bytes).slice(0, linesIn(edited).length + 1));
      expect(await found([next.subarray(0, -1)])).toEqual(torn);
    },
  );

  it("may have a line that only a newer version reads", async ({ expect }) => {
    const { bytes } = await kept();
    const end = { chain: "c1", n: linesIn(bytes).length, hash: headOf(bytes) };
    const newer = new NewLines(end, undefined);
    newer.add({ at: at(20).toISOString(), weather: "fair" }, false);
    expect(await found([Buffer.concat([bytes, Buffer.from(newer.text)])])).toEqual([]);
  });

  it("carries the version of the program, the revision and the hash of the line before", async ({
    expect,
  }) => {
    const { bytes } = await kept();
    const { files } = await verified([bytes]);
    expect(files).toMatchObject([{ lines: 11, chains: ["c1"], firstAt: at(2), lastAt: at(9) }]);
    const [begin = "", entry = ""] = linesIn(bytes);
    expect(recordIn({ text: begin })).toEqual({ at: at(2), chain: "c1", record: "begin" });
    const content: unknown = JSON.parse(entry);
    const open = begin.slice(0, begin.lastIndexOf(',"hash":'));
    expect(content).toMatchObject({
      n: 2,
      prev: sha256(open),
      version: "1.2.3",
      revision: entryAt(1).revision,
    });
  });
});

/** An entry with a hold, after line `n`, which it names by a hash. */
function lineAfter(hash: string, n: number): string {
  const after = new NewLines({ chain: "c1", n, hash }, undefined);
  after.add(historyJson({ ...entryAt(20), holds: [hold("quota")] }), false);
  return after.text;
}

/** Two neighbours in the other order. */
function swap(lines: readonly string[], a: number): readonly string[] {
  return lines.with(a, lines[a + 1] ?? "").with(a + 1, lines[a] ?? "");
}

describe("a history that somebody changed", () => {
  it.for<{
    what: string;
    edit: (lines: readonly string[]) => readonly string[];
    says: readonly string[];
  }>([
    {
      what: "a changed word",
      edit: (lines) => lines.with(3, (lines[3] ?? "").replace("found", "done")),
      says: ["4 changed"],
    },
    {
      what: "a changed last line",
      edit: (lines) => lines.with(10, (lines[10] ?? "").replace("stop", "daily")),
      says: ["11 changed"],
    },
    { what: "removed lines", edit: (lines) => lines.toSpliced(3, 2), says: ["4 removed"] },
    { what: "one removed line", edit: (lines) => lines.toSpliced(3, 1), says: ["4 removed"] },
    {
      what: "a changed line, and the next one removed",
      edit: (lines) => lines.with(3, (lines[3] ?? "").replace("found", "done")).toSpliced(4, 1),
      says: ["4 changed", "5 removed"],
    },
    {
      what: "a changed hash",
      edit: (lines) => lines.with(3, (lines[3] ?? "").replace(/"hash":"\w{4}/, '"hash":"0000')),
      says: ["4 changed"],
    },
    { what: "removed first lines", edit: (lines) => lines.slice(2), says: ["1 missing_start"] },
    {
      what: "a line twice",
      edit: (lines) => lines.toSpliced(3, 0, lines[3] ?? ""),
      says: ["5 inserted"],
    },
    {
      what: "an inserted line without a hash",
      edit: (lines) => lines.toSpliced(3, 0, lineWithoutHash(5)),
      says: ["4 no_hash"],
    },
    {
      what: "an inserted line that says nothing",
      edit: (lines) => lines.toSpliced(3, 0, "nothing\n"),
      says: ["4 changed"],
    },
    {
      what: "a line without a hash before the chain",
      edit: (lines) => [lineWithoutHash(0), ...lines],
      says: ["1 no_hash"],
    },
    {
      what: "lines without a hash instead of the chain",
      edit: () => [lineWithoutHash(0), lineWithoutHash(1)],
      says: ["1 no_hash", "2 no_hash"],
    },
    {
      what: "two lines in the other order",
      edit: (lines) => swap(lines, 3),
      says: ["4 reordered", "5 inserted", "6 inserted"],
    },
    {
      what: "a lost line feed",
      edit: (lines) => lines.with(3, (lines[3] ?? "").trimEnd()),
      says: ["4 changed"],
    },
    {
      what: "bytes at the end",
      edit: (lines) => [...lines, '{"at":"2026-11-20T12:00:00.000Z","n":3'],
      says: ["12 changed"],
    },
    { what: "no lines", edit: () => [], says: ["0 empty"] },
    {
      what: "no line feed at the end",
      edit: (lines) => lines.with(10, (lines[10] ?? "").trimEnd()),
      says: ["(11 torn)"],
    },
    {
      what: "a last line that was cut off after an object in it",
      edit: (lines) => {
        const next = lineAfter(headOf(bytesOf(lines)), lines.length);
        return [...lines, next.slice(0, next.indexOf('"}]') + 3)];
      },
      says: ["(12 torn)"],
    },
    {
      what: "a line that names the one before by another hash of it",
      edit: (lines) => [...lines, lineAfter(sha256((lines.at(-1) ?? "").trimEnd()), lines.length)],
      says: ["12 inserted"],
    },
    {
      what: "a line with something before it",
      edit: (lines) => {
        const next = lineAfter(headOf(bytesOf(lines)), lines.length);
        const open = ` ${next.slice(0, next.lastIndexOf(',"hash":'))}`;
        return [...lines, `${open},"hash":"${sha256(open)}"}\n`];
      },
      says: ["12 no_hash"],
    },
    {
      what: "more after a last line without a line feed",
      edit: (lines) => lines.with(10, `${(lines[10] ?? "").trimEnd()} `),
      says: ["11 changed"],
    },
    {
      what: "a first line whose last characters are missing",
      edit: ([first = ""]) => [first.slice(0, -10)],
      says: ["(1 torn)"],
    },
    {
      what: "a first line that was cut off",
      edit: ([first = ""]) => [first.slice(0, 40)],
      says: ["(1 torn)"],
    },
  ])("says where: $what", async ({ edit, says }, { expect }) => {
    const { bytes } = await kept();
    const said = await found([bytesOf(edit(linesIn(bytes)))]);
    expect(said).toEqual(says);
  });

  it.for<{ edit: (lines: readonly string[]) => readonly string[]; says: string }>([
    {
      edit: (lines) => [...lines.slice(0, 4), ...lines],
      says: "another chain begins here: lines 1 to 4 were put before it",
    },
    {
      edit: (lines) => lines.slice(2),
      says: "lines up to 2 of the chain are missing, and not because of the program",
    },
    {
      edit: (lines) => lines.toSpliced(3, 1),
      says: "lines 4 to 4 of the chain are missing before this line",
    },
    {
      edit: (lines) => lines.toSpliced(3, 2),
      says: "lines 4 to 5 of the chain are missing before this line",
    },
    {
      edit: (lines) => lines.toSpliced(3, 0, lines[1] ?? ""),
      says: "the line follows line 3: what is between them was inserted or moved",
    },
    {
      edit: (lines) => swap(lines, 3),
      says: "the line follows line 5, which comes later: the order was changed",
    },
  ])("says in words: $says", async ({ edit, says }, { expect }) => {
    const { bytes } = await kept();
    const { flaws } = await verified([bytesOf(edit(linesIn(bytes)))]);
    expect(flaws.map(({ message }) => message)).toContain(says);
  });

  it("says what the program dropped where more than that is missing", async ({ expect }) => {
    const { bytes } = await kept({ entries: 30, maxBytes: 6_000 });
    const lines = linesIn(bytes).slice(1);
    const first = sealOf(Buffer.from(lines[0]?.trimEnd() ?? ""))?.n ?? 0;
    const { flaws } = await verified([bytesOf(lines)]);
    expect(flaws.map(({ message }) => message)).toEqual([
      `lines up to ${first - 1} of the chain are missing, and not because of the program, which dropped lines up to ${first - 2}`,
    ]);
  });

  it("shows that last lines were removed, only where somebody has kept a head", async ({
    expect,
  }) => {
    const { bytes } = await kept();
    const cut = bytesOf(linesIn(bytes).slice(0, -2));
    expect(await found([cut])).toEqual([]);
    expect(await found([cut], { head: headOf(bytes) })).toEqual(["0 head_missing"]);
    expect(await found([bytes], { head: headOf(cut) })).toEqual(["(9 head)"]);
  });

  it("knows the head of the last line that was dropped by a signature alone", async ({
    expect,
  }) => {
    const { bytes } = await kept({ entries: 30, maxBytes: 6_000, signKey: keys.privateKey });
    const head = sealOf(Buffer.from(linesIn(bytes)[0]?.trimEnd() ?? ""))?.prev;
    const { flaws, remarks } = await verified([bytes], { head, key: keys.publicKey });
    expect(flaws).toEqual([]);
    expect(remarks.map(({ message }) => message)).toContain(
      "the head is of the last line that the program dropped",
    );
    expect(await found([bytes], { head })).toContain("0 head_missing");
  });

  it("believes what an earlier signature covers although a later line was changed", async ({
    expect,
  }) => {
    const { bytes } = await kept({ entries: 27, maxBytes: 7_000, signKey: keys.privateKey });
    const lines = linesIn(bytes);
    const nth = lines.findLastIndex((line) => line.includes('"trigger":"schedule"'));
    const edited = lines.with(nth, lines[nth]?.replace("schedule", "signal") ?? "");
    const says = await found([bytesOf(edited)], { key: keys.publicKey });
    expect(says).toEqual([`${nth + 1} changed`, "(1 dropped)", `(${lines.length} signed)`]);
  });

  it("shows by the signatures what a chain that was computed anew does not show", async ({
    expect,
  }) => {
    const { bytes } = await kept({ signKey: keys.privateKey });
    const anew = await kept({ entries: 7 });
    expect(await found([anew.bytes])).toEqual([]);
    expect(await found([anew.bytes], { key: keys.publicKey })).toEqual(["0 not_signed"]);
    expect(await found([bytes], { key: keys.publicKey })).toEqual(["(11 signed)"]);
    const ofOther = await found([bytes], { key: otherKey });
    expect(ofOther).toEqual([
      "1 wrong_signature",
      "6 wrong_signature",
      "11 wrong_signature",
      "0 not_signed",
    ]);
    const unsigned = await kept({ bytes, from: 20, entries: 2 });
    const { remarks } = await verified([unsigned.bytes], { key: keys.publicKey });
    expect(remarks.map(({ message }) => message).join()).toContain(
      "3 lines came after it, which nothing signs",
    );
  });
});

describe("several files", () => {
  it("prove nothing where there are none", async ({ expect }) => {
    const proof = { head: sha256("a line"), key: keys.publicKey };
    expect(await found([], proof)).toEqual(["0 head_missing", "0 not_signed"]);
    const { flaws } = await verified([], proof);
    expect(flaws.map(({ file }) => file)).toEqual(["", ""]);
  });

  it("are searched for what proves them up to the last one", async ({ expect }) => {
    const { bytes } = await kept();
    const proof = { head: sha256("a line"), key: keys.publicKey };
    const { flaws } = await verified([bytes, bytes, bytes], proof);
    expect(flaws.map(({ file, code }) => `${code} ${file}`)).toEqual([
      "head_missing file-3",
      "not_signed file-3",
    ]);
  });

  it("are one history where each continues or repeats the one before", async ({ expect }) => {
    const first = await kept();
    const second = await kept({ bytes: first.bytes, from: 20 });
    const lines = linesIn(first.bytes).length;
    const rest = bytesOf(linesIn(second.bytes).slice(lines));
    expect(await found([first.bytes, second.bytes])).toEqual(["(1 overlap)"]);
    expect(await found([second.bytes, first.bytes])).toEqual(["(1 overlap)"]);
    expect(await found([Buffer.alloc(0), first.bytes])).toEqual(["0 empty"]);
    expect(await found([first.bytes, rest])).toEqual(["1 missing_start"]);
  });

  it("count the lines that come after what is proved", async ({ expect }) => {
    const first = await kept({ signKey: keys.privateKey });
    const lines = linesIn(first.bytes);
    const second = await kept({ bytes: first.bytes, from: 20, entries: 2 });
    const rest = bytesOf(linesIn(second.bytes).slice(lines.length));
    const says = async (proof: Partial<HistoryProof>): Promise<readonly string[]> => {
      const { remarks } = await verified([first.bytes, rest], proof);
      return remarks.map(({ message }) => message);
    };
    expect(await says({ key: keys.publicKey })).toEqual([
      "the last signed line; 3 lines came after it, which nothing signs yet",
    ]);
    const head = headOf(bytesOf(lines.slice(0, -2)));
    expect(await says({ head })).toContain(
      "the head is of this line; 5 lines came after it, which are not covered by the head",
    );
    const { remarks } = await verified([first.bytes, Buffer.alloc(0)], { head });
    expect(remarks.map(({ message }) => message)).toContain(
      "the head is of this line; 2 lines came after it, which are not covered by the head",
    );
    expect(await says({ head: headOf(rest) })).toContain(
      "the head is of this line; no line came after it",
    );
  });

  it("say what is missing between them, also where the program dropped it", async ({ expect }) => {
    const first = await kept({ entries: 4 });
    const later = await kept({ bytes: first.bytes, from: 10, entries: 30, maxBytes: 6_000 });
    const { flaws } = await verified([first.bytes, later.bytes]);
    expect(flaws.map(({ code }) => code)).toEqual(["missing_between"]);
    const next = sealOf(Buffer.from(linesIn(later.bytes)[0]?.trimEnd() ?? ""))?.n ?? 0;
    expect(flaws[0]?.message).toContain(
      `lines 7 to ${next - 1} of the chain are missing between file-1 and this file; the program dropped them`,
    );
  });

  it("say what is missing between them, where nobody dropped it", async ({ expect }) => {
    const first = await kept({ entries: 4 });
    const later = await kept({ bytes: first.bytes, from: 10, entries: 4 });
    const rest = linesIn(later.bytes).slice(linesIn(first.bytes).length + 2);
    // Without its first and its last line, a copy does not name the chain.
    const nameless = bytesOf(linesIn(first.bytes).slice(1, -1));
    for (const [copy, start] of [
      [first.bytes, 7],
      [nameless, 6],
    ] as const) {
      const { flaws } = await verified([copy, bytesOf(rest)]);
      expect(flaws.map(({ message }) => message)).toContain(
        `lines ${start} to 8 of the chain are missing between file-1 and this file; name a copy that has them`,
      );
    }
  });

  it("are not one history where they are of two installations, or were continued twice", async ({
    expect,
  }) => {
    const first = await kept();
    const other = await kept({ chain: "c2" });
    const [a, b] = [
      await kept({ bytes: first.bytes, from: 20 }),
      await kept({ bytes: first.bytes, from: 40 }),
    ];
    const namesake = await kept({ from: 30 });
    const rest = bytesOf(linesIn(other.bytes).slice(1));
    const joined = await verified([Buffer.concat([first.bytes, other.bytes])]);
    expect(joined.flaws.map(({ message }) => message)).toEqual([
      "lines of another history follow: chain c2, not c1",
      "another chain begins here: lines 1 to 11 were put before it",
    ]);
    expect(await found([first.bytes, other.bytes])).toEqual(["1 other_history"]);
    expect(await found([first.bytes, namesake.bytes])).toEqual(["1 other_history"]);
    const third = await found([first.bytes, first.bytes, other.bytes]);
    expect(third).toEqual(["1 other_history", "(1 overlap)"]);
    expect(await found([first.bytes, rest])).toEqual(["1 missing_start", "1 other_history"]);
    expect(await found([a.bytes, b.bytes])).toEqual(["1 diverges"]);
  });

  it("do not continue one another by the number of a line alone", async ({ expect }) => {
    const first = await kept();
    const other = await kept({ entries: 8, from: 3 });
    const more = await kept({ bytes: other.bytes, from: 20, entries: 2 });
    const lines = linesIn(first.bytes).length;
    // One file begins with the number of the last line before it, the other with the next number.
    for (const start of [lines - 1, lines]) {
      const rest = linesIn(more.bytes).slice(start);
      const said = await found([first.bytes, bytesOf(rest)]);
      expect(said, `from line ${start}`).toContain("1 diverges");
    }
  });

  it("are in order although the clock was set back, and say so", async ({ expect }) => {
    const first = await kept({ from: 20 });
    const second = await kept({ bytes: first.bytes, from: 1 });
    expect(await found([second.bytes])).toEqual(["(12 clock)"]);
  });
});
