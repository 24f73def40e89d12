import { describe, it } from "vitest";

import { type FormerTerm, OwnEntries } from "../../src/audit/own-entries.ts";
import type { AuditEntry, SentWrite } from "../../src/zone/audit-entry.ts";
import { auditEntry } from "../support/audit-entries.ts";

const began = Date.parse("2026-11-20T12:00:00Z");
const [settings, policies] = ["/zones/z1/page_shield", "/zones/z1/page_shield/policies"] as const;

function at(seconds: number): Date {
  return new Date(began + 1_000 * seconds);
}

/** A write that was sent so many seconds after the start, and answered a second later. */
function sent(seconds: number, more: Partial<SentWrite> = {}): SentWrite {
  const ids = { ray: "", entryId: "" };
  const sentAt = at(seconds);
  const request = { method: "PUT", path: settings };
  return { ...request, ...ids, sentAt, endedAt: at(seconds + 1), isAnswered: true, ...more };
}

/** An entry of our token, so many seconds after the start. */
function entry(id: string, seconds: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return auditEntry({ id, at: at(seconds), method: "PUT", path: settings, ...more });
}

/** A read of the log: what is new in it, and what we wrote until then. */
interface Read {
  readonly entries: readonly AuditEntry[];
  readonly writes: readonly SentWrite[];
  readonly seconds?: number;
}

/** Each origin that was told, in order, as in `a own`. What is undecided is asked again. */
function toldBy(
  reads: readonly Read[],
  earlier: readonly string[] = [],
  completeSince = 0,
  former?: FormerTerm,
): readonly string[] {
  const own = new OwnEntries(new Date(began), (ray) => earlier.includes(ray), former);
  const told: string[] = [];
  let undecided: readonly AuditEntry[] = [];
  for (const { entries, writes, seconds = 400 } of reads) {
    const known = { writes, completeSince: new Date(completeSince) };
    const origins = [...own.judge([...undecided, ...entries], known, at(seconds))];
    undecided = origins.filter(([, origin]) => origin === "later").map(([each]) => each);
    told.push(...origins.map(([{ id }, origin]) => `${id} ${origin}`).toSorted());
  }
  return told;
}

const first = sent(100, { ray: "r1" });
const second = sent(200, { ray: "r2" });
const third = sent(200, { ray: "r3", method: "POST", path: policies });
const sameIds = [sent(100, { ray: "same" }), sent(200, { ray: "same" })];
const lost = sent(300, { isAnswered: false });

/** A term from ten minutes to one minute before the start. */
function formerTerm(writes: readonly SentWrite[]): FormerTerm {
  return { since: at(-600), until: at(-60), writes, elsewhere: [] };
}

describe("whose write an entry of our token tells of", () => {
  it.for<{
    readonly when: string;
    readonly reads: readonly Read[];
    readonly earlier?: readonly string[];
    readonly completeSince?: number;
    readonly former?: FormerTerm;
    readonly told: readonly string[];
  }>([
    {
      when: "ids of answers are in the log, with and without the place that answered",
      reads: [
        {
          writes: [first, second, third],
          entries: [
            entry("a", 100, { ray: "r1-AMS" }),
            entry("b", 200, { ray: "r2" }),
            entry("c", 201, { ray: "r3" }),
          ],
        },
      ],
      told: ["a own", "b own", "c own"],
    },
    {
      when: "the id of the entry is in the answer",
      reads: [{ writes: [sent(100, { entryId: "a" })], entries: [entry("a", 100)] }],
      told: ["a own"],
    },
    {
      when: "we wrote nothing",
      reads: [{ writes: [], entries: [entry("a", 100), entry("b", 300)] }],
      told: ["a elsewhere", "b elsewhere"],
    },
    {
      when: "an id is of no answer, though we made the same request in the same second",
      reads: [
        {
          writes: [first, second],
          entries: [entry("a", 100, { ray: "r1" }), entry("b", 200, { ray: "r9" })],
        },
      ],
      told: ["a own", "b elsewhere"],
    },
    {
      when: "entries come late and shuffled: the one of another before ours",
      reads: [
        { writes: [first], entries: [entry("x", 100, { ray: "r9" })] },
        { writes: [first], entries: [entry("a", 100, { ray: "r1" })] },
      ],
      told: ["x own", "a own", "x elsewhere"],
    },
    {
      when: "the entry comes before the answer of its write",
      reads: [
        {
          writes: [sent(300, { endedAt: undefined, isAnswered: false })],
          entries: [entry("a", 301, { ray: "r4" })],
          seconds: 302,
        },
        { writes: [sent(300, { ray: "r4" })], entries: [], seconds: 362 },
      ],
      told: ["a later", "a own"],
    },
    {
      when: "an answer was lost, and its entry comes",
      reads: [{ writes: [lost], entries: [entry("a", 301, { ray: "r4" })] }],
      told: ["a possible"],
    },
    {
      when: "an answer was lost, and two entries come",
      reads: [
        { writes: [first, lost], entries: [entry("o", 100, { ray: "r1" })] },
        {
          writes: [first, lost],
          entries: [entry("a", 301, { ray: "r4" }), entry("b", 302, { ray: "r5" })],
        },
      ],
      told: ["o own", "a possible", "b elsewhere"],
    },
    {
      when: "an answer was lost, and another request was made",
      reads: [
        { writes: [first, lost], entries: [entry("o", 100, { ray: "r1" })] },
        {
          writes: [first, lost],
          entries: [entry("b", 302, { ray: "r5", method: "DELETE", path: `${policies}/p` })],
        },
      ],
      told: ["o own", "b elsewhere"],
    },
    {
      when: "no answer and no entry has ids",
      reads: [
        {
          writes: [sent(100), sent(105), sent(200)],
          entries: [entry("a", 100), entry("b", 106), entry("c", 202), entry("d", 320)],
        },
      ],
      told: ["a own", "b own", "c own", "d elsewhere"],
    },
    {
      when: "all answers carry one id, and one entry is too many",
      reads: [
        {
          writes: sameIds,
          entries: [
            entry("a", 100, { ray: "same" }),
            entry("b", 200, { ray: "same" }),
            entry("c", 201, { ray: "same" }),
            entry("d", 350, { ray: "same" }),
          ],
        },
        {
          writes: sameIds,
          entries: [],
          seconds: 900,
        },
      ],
      told: ["a own", "b own", "c later", "d elsewhere", "c possible"],
    },
    {
      when: "the log names requests otherwise than answers do, next to our writes",
      reads: [
        { writes: [first], entries: [entry("a", 100, { ray: "x", path: "/elsewhere" })] },
        { writes: [first], entries: [], seconds: 800 },
      ],
      told: ["a later", "a possible"],
    },
    {
      when: "it is from before the start, and nothing is known of then",
      reads: [{ writes: [], entries: [entry("a", -30, { ray: "r0" }), entry("b", 9)] }],
      told: ["a possible", "b possible"],
    },
    {
      when: "it is from before the start, and the process before told of it",
      reads: [
        {
          writes: [],
          entries: [entry("a", -30, { ray: "r0-AMS" }), entry("b", -20, { ray: "r9" })],
        },
      ],
      earlier: ["r0"],
      told: ["a own", "b possible"],
    },
    {
      when: "an id of the process before comes again, long after the start",
      reads: [{ writes: [], entries: [entry("a", 100, { ray: "r0" })] }],
      earlier: ["r0"],
      told: ["a elsewhere"],
    },
    {
      when: "our writes of then were dropped",
      reads: [{ writes: [second], entries: [entry("a", 120, { ray: "r9" })] }],
      completeSince: began + 200_000,
      told: ["a possible"],
    },
    {
      when: "the process before told what it wrote, and the same request was made elsewhere first",
      reads: [
        {
          writes: [],
          entries: [
            entry("a", -301, { ray: "r8" }),
            entry("b", -300, { ray: "r0" }),
            entry("c", -200, { ray: "r9" }),
          ],
        },
      ],
      former: formerTerm([sent(-300, { ray: "r0" })]),
      told: ["a elsewhere", "b own", "c elsewhere"],
    },
    {
      when: "the process before lost an answer, and two entries come",
      reads: [
        {
          writes: [first],
          entries: [entry("a", -301), entry("b", -300), entry("o", 100, { ray: "r1" })],
        },
      ],
      former: formerTerm([sent(-300, { isAnswered: false })]),
      told: ["a possible", "b elsewhere", "o own"],
    },
    {
      when: "it is from before or after the term of the process before, or next to its ends",
      reads: [
        {
          writes: [],
          entries: [-1000, -595, -590, -70, -65, -30].map((seconds) => entry("e", seconds)),
        },
      ],
      former: formerTerm([]),
      told: ["e elsewhere", "e elsewhere", "e possible", "e possible", "e possible", "e possible"],
    },
    {
      when: "the term before was of this process, which still knows its writes",
      reads: [{ writes: [sent(-300, { ray: "r0" })], entries: [entry("b", -300, { ray: "r0" })] }],
      former: formerTerm([sent(-300, { ray: "r0" })]),
      told: ["b own"],
    },
  ])("$when", ({ reads, earlier, completeSince, former, told }, { expect }) => {
    expect(toldBy(reads, earlier, completeSince, former)).toEqual(told);
  });

  it("accuses nobody of ten thousand writes, in whatever order their entries come", ({
    expect,
  }) => {
    const writes = Array.from({ length: 10_000 }, (_, index) =>
      sent(20 + index / 10, { ray: `r${index}`, path: `/zones/z${index % 7}/page_shield` }),
    );
    const entries = writes.map(({ path, ray, sentAt }, index) =>
      auditEntry({ id: `e${index}`, at: sentAt, method: "PUT", path, ray: `${ray}-AMS` }),
    );
    const shuffled = entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const own = new OwnEntries(new Date(began), () => false);
    const known = { writes, completeSince: new Date(0) };
    const origins = [0, 3_000, 6_000, 9_000].flatMap((from) => [
      ...own.judge(shuffled.slice(from, from + 3_000), known, at(2_000)).values(),
    ]);
    expect(new Set(origins)).toEqual(new Set(["own"]));
    expect(origins).toHaveLength(10_000);
  });
});
