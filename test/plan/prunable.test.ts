import { describe, it } from "vitest";

import { prunableAmong } from "../../src/plan/prunable.ts";
import type { UnmanagedMode } from "../../src/zone/desired-zone.ts";
import type { Mark } from "../../src/zone/mark.ts";
import { markOfRef } from "../../src/zone/mark.ts";
import { declared, owner } from "../support/model.ts";

interface Thing {
  readonly id: string;
  readonly mark: Mark;
}

/** A live thing: `ours:a` bears our mark and the key `a`, `theirs:a` that of another owner, anything else none. */
function thing(text: string, index: number): Thing {
  const mark = markOfRef(text.replace(/^ours:/, `${owner}:`));
  return { id: `${index + 1}`, mark };
}

interface Situation {
  readonly when: string;
  readonly live: readonly string[];
  readonly declares?: readonly string[];
  readonly unmanaged?: UnmanagedMode;
  /** What goes: its id, how the change is called, why, and the declared key that stays in its place. */
  readonly prunes?: readonly string[];
  readonly leaves?: readonly string[];
}

const situations: readonly Situation[] = [
  { when: "everything live is declared", live: [] },
  { when: "ours is no longer declared", live: ["ours:a"], prunes: ["1 as a: undeclared"] },
  {
    when: "ours is no longer declared, and unmanaged resources are ignored",
    live: ["ours:a"],
    unmanaged: "ignore",
    prunes: ["1 as a: undeclared"],
  },
  {
    when: "ours bears a declared key that another live one stands for",
    live: ["ours:a"],
    declares: ["a"],
    prunes: ["1 as 1: duplicate of a"],
  },
  {
    when: "two of ours bear one key that is no longer declared",
    live: ["ours:a", "ours:a"],
    prunes: ["1 as a: undeclared", "2 as 2: duplicate"],
  },
  {
    when: "two of ours bear two keys, of which one is declared",
    live: ["ours:a", "ours:b"],
    declares: ["b"],
    prunes: ["1 as a: undeclared", "2 as 2: duplicate of b"],
  },
  { when: "nobody has marked it", live: ["by hand"], leaves: ["1"] },
  {
    when: "nobody has marked it, and that goes",
    live: ["by hand"],
    unmanaged: "delete",
    prunes: ["1 as 1: unmanaged"],
  },
  {
    when: "it has no mark, and unmanaged resources are ignored",
    live: ["by hand"],
    unmanaged: "ignore",
  },
  { when: "another owner has marked it", live: ["theirs:a"], leaves: ["1"] },
  {
    when: "another owner has marked it with a declared key",
    live: ["theirs:a"],
    declares: ["a"],
    leaves: ["1"],
  },
  {
    when: "another owner has marked it, and what nobody has marked goes",
    live: ["theirs:a"],
    unmanaged: "delete",
    leaves: ["1"],
  },
  {
    when: "another owner has marked it, and unmanaged resources are ignored",
    live: ["theirs:a"],
    unmanaged: "ignore",
  },
  {
    when: "there is some of everything: ours go first",
    live: ["by hand", "theirs:a", "ours:a", "ours:b", "by hand"],
    declares: ["b"],
    unmanaged: "delete",
    prunes: [
      "3 as a: undeclared",
      "4 as 4: duplicate of b",
      "1 as 1: unmanaged",
      "5 as 5: unmanaged",
    ],
    leaves: ["2"],
  },
  {
    when: "its name begins as ours and has no key: no mark of ours was ever that",
    live: ["ours:"],
    leaves: ["1"],
  },
];

describe("live resources that match no declared one", () => {
  it.for(situations)(
    "when $when",
    ({ live, declares = [], unmanaged = "report", prunes = [], leaves = [] }, { expect }) => {
      const items = declares.map((key) => ({ key }));
      const judged = prunableAmong(
        live.map(thing),
        declared(items, unmanaged),
        owner,
        ({ mark }) => mark,
      );
      expect(
        judged.toPrune.map(({ live: { id }, key, reason, stays }) =>
          [`${id} as ${key}: ${reason}`, ...(stays === undefined ? [] : [`of ${stays.key}`])].join(
            " ",
          ),
        ),
      ).toEqual(prunes);
      expect(judged.unmanaged.map(({ id }) => id)).toEqual(leaves);
    },
  );
});
