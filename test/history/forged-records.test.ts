import { generateKeyPairSync } from "node:crypto";

import { describe, it } from "vitest";

import type { Seal } from "../../src/history/chain/history-chain.ts";
import type { HistoryProof } from "../../src/history/verify/verify-history.ts";
import {
  chainForgeries,
  edits,
  type Forgery,
  type Lines,
  sealIn,
  wholeLines,
  withRecords,
} from "../support/forged-lines.ts";
import { verified } from "../support/history-files.ts";
import { bytesOf, headOf, kept } from "../support/kept-history.ts";
import { someOf } from "../support/properties.ts";

const keys = generateKeyPairSync("ed25519");

const additions: readonly (readonly Forgery[])[] = [
  [],
  ...chainForgeries.map((one) => [one]),
  ...chainForgeries.flatMap((one) => chainForgeries.map((two) => [one, two])),
  ...chainForgeries.map((two) => ["dropped", two, "dropped"] as const),
];

const histories = [
  { is: "as it began", options: {} },
  { is: "whose first lines were dropped", options: { entries: 30, maxBytes: 6_000 } },
];

describe("records that somebody forges", () => {
  const proved = histories.flatMap((history) =>
    (["key", "head", "earlier head", "key and head"] as const).map((proof) => ({
      ...history,
      proof,
    })),
  );

  it.for(someOf(proved, 3))(
    "prove nothing with the $proof: a history $is",
    async ({ options, proof }, { expect }) => {
      const { bytes } = await kept({ ...options, signKey: keys.privateKey });
      const lines = wholeLines(bytes);
      const sealed = lines.flatMap((line, index) => {
        const seal = sealIn(line);
        return seal === undefined ? [] : [{ ...seal, index }];
      });
      const [last, earlier] = [sealed.at(-1), sealed.at(-3)];
      const head = (proof === "earlier head" ? earlier : last)?.hash ?? "";
      const given: Partial<HistoryProof> = {
        ...(proof.includes("head") ? { head } : {}),
        ...(proof.includes("key") ? { key: keys.publicKey } : {}),
      };
      const honest = await verified([bytes], given);
      expect(honest.flaws).toEqual([]);
      const believed: string[] = [];
      let tried = 0;
      for (const [edit, change] of Object.entries(edits)) {
        for (const added of additions) {
          const after = withRecords(change(lines), added, head);
          tried += 1;
          const { flaws, remarks } = await verified([bytesOf(after)], given);
          if (flaws.length > 0) continue;
          const told = remarks.map(({ code }) => code);
          const covered = coveredIn(after, sealed, given);
          const isPrefix = covered.every((line, index) => line === lines[index]);
          const isTold = given.key === undefined && told.includes("not_covered");
          if (isPrefix || isTold) continue;
          believed.push(`${edit}, ${added.join(" ")}: ${told.join(" ")}`);
        }
      }
      expect(tried).toBe(Object.keys(edits).length * additions.length);
      expect(believed).toEqual([]);
    },
  );

  it("name the kept head, and are not taken for its line", async ({ expect }) => {
    const { bytes } = await kept({ signKey: keys.privateKey });
    const head = headOf(bytes);
    const one = bytesOf(withRecords([], ["dropped_head"], head));
    for (const key of [undefined, keys.publicKey]) {
      const { flaws } = await verified([one], { head, key });
      expect(flaws.map(({ code }) => code)).toContain("head_missing");
    }
  });

  it("are told where the program may have written them after the head", async ({ expect }) => {
    const later = await kept({ entries: 30, maxBytes: 6_000 });
    const lines = wholeLines(later.bytes);
    const drop = lines.findLastIndex((line) => line.includes('"record":"dropped"'));
    const middle = sealIn(lines[drop - 1] ?? "")?.hash;
    const { flaws, remarks } = await verified([later.bytes], { head: middle });
    expect(flaws).toEqual([]);
    expect(remarks.map(({ code }) => code)).toEqual(["dropped", "not_covered", "head"]);
    const messages = remarks.filter(({ code }) => code === "not_covered");
    expect(messages.map(({ message }) => message).join()).toContain("not covered by the head");
    const newest = await verified([later.bytes], { head: headOf(later.bytes) });
    expect(newest.flaws).toEqual([]);
    expect(newest.remarks.map(({ code }) => code)).not.toContain("not_covered");
  });
});

/** The lines up to the last one that the proof is about. */
function coveredIn(
  after: Lines,
  sealed: readonly Pick<Seal, "hash" | "signature">[],
  { head, key }: Partial<HistoryProof>,
): Lines {
  const proofs = new Set(
    sealed
      .filter((seal) => (key === undefined ? seal.hash === head : seal.signature !== undefined))
      .map(({ hash }) => hash),
  );
  const end = after.findLastIndex((line) => proofs.has(sealIn(line)?.hash ?? ""));
  return after.slice(0, end + 1);
}
