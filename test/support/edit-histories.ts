import * as fc from "fast-check";

import type { JsonObject } from "../../src/syntax/json.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { control, endFaults } from "./ask.ts";
import type { SimulatedClock } from "./clock.ts";
import type { EmulatedFleet } from "./emulated-fleet.ts";
import type { Emulated } from "./emulated.ts";

const minuteMs = 60_000;

export const editedZones = ["a.example.com", "b.example.com"] as const;

/** An edit by hand, as the emulator knows it. */
export interface Edit {
  readonly zone: string;
  readonly actor: string;
  readonly at: Date;
  readonly key: ResourceKey;
  /** What it wrote, by field; `undefined`: it deleted the resource, or wrote what a plan says in other words. */
  readonly wrote: JsonObject | undefined;
  /** What it did: who does again what another did changes nothing. */
  readonly what: string;
  /** From when on the log shows it, in milliseconds since the epoch. */
  readonly shownAt: number;
}

const site = "zonewarden:site";
const owasp = "zonewarden:owasp";
const edits = {
  off: { key: "setting/enabled", body: { settings: { enabled: false } }, wrote: { value: false } },
  on: { key: "setting/enabled", body: { settings: { enabled: true } }, wrote: { value: true } },
  path: {
    key: "setting/use_connection_url_path",
    body: { settings: { use_connection_url_path: true } },
    wrote: { value: true },
  },
  enabled: {
    key: "policy/site",
    body: { policy: site, set: { enabled: true } },
    wrote: { enabled: true },
  },
  disabled: {
    key: "policy/site",
    body: { policy: site, set: { enabled: false } },
    wrote: { enabled: false },
  },
  expression: {
    key: "policy/site",
    body: { policy: site, set: { expression: 'http.host eq "x.example.com"' } },
    wrote: { expression: 'http.host eq "x.example.com"' },
  },
  deleted: {
    key: "policy/shop",
    body: { policy: "zonewarden:shop", delete: true },
    wrote: undefined,
  },
  rule: {
    key: "managed_rule/owasp",
    body: { rule: owasp, set: { enabled: false } },
    wrote: { enabled: false },
  },
  tuned: {
    key: "managed_rule/owasp",
    body: { rule: owasp, set: { paranoia_level: 1 } },
    wrote: undefined,
  },
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly key: ResourceKey;
      readonly body: object;
      readonly wrote: JsonObject | undefined;
    }
  >
>;

interface AuditFault {
  readonly fault: "audit_lost" | "audit_late" | "audit_duplicated";
  readonly seconds?: number;
}

interface EditStep {
  readonly waitMs: number;
  readonly zone: (typeof editedZones)[number];
  readonly actor: string;
  readonly what: keyof typeof edits;
  /** What becomes of its entry in the log. */
  readonly fate: AuditFault | undefined;
}

/** A sweep, while the service answers our writes in this way. */
interface SweepStep {
  readonly waitMs: number;
  readonly sweep: keyof typeof troubles;
}

const troubles = {
  works: [],
  refuses: [{ fault: "status", status: 400, path: "*/policies/*", method: "PUT" }],
  "loses answers": [{ fault: "lost_answer", method: "PUT" }],
} as const satisfies Readonly<Record<string, readonly object[]>>;

export type EditHistory = readonly (EditStep | SweepStep)[];

const lost = { fault: "audit_lost" } as const;

const fate: fc.Arbitrary<AuditFault | undefined> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: fc.constant(lost) },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: 1, max: 3_600 })
      .map((seconds) => ({ fault: "audit_late", seconds }) as const),
  },
  { weight: 1, arbitrary: fc.constant({ fault: "audit_duplicated" } as const) },
);

// Most steps come between two reads of the log.
const waitMs = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 * minuteMs }) },
);

const zone = fc.oneof(
  { weight: 4, arbitrary: fc.constant(editedZones[0]) },
  { weight: 1, arbitrary: fc.constant(editedZones[1]) },
);

const actor = fc.constantFrom("alice@example.com", "bob@example.com", "carol@example.com");

const what = fc.constantFrom(
  ...Object.keys(edits).filter((name): name is keyof typeof edits => name in edits),
);

const edit: fc.Arbitrary<EditStep> = fc.record({ waitMs, zone, actor, what, fate });
const sweep: fc.Arbitrary<SweepStep> = fc.record({
  waitMs,
  sweep: fc.constantFrom("works", "refuses", "loses answers"),
});

/** Somebody writes soon again what was written and corrected before, and the entry is lost. */
const again: fc.Arbitrary<EditHistory> = fc
  .record({ first: edit, actor, between: fc.oneof(sweep, edit) })
  .chain(({ first, actor: second, between }) =>
    fc
      .tuple(fc.nat(2_000), fc.nat(2_000))
      .map(([beforeMs, afterMs]) => [
        first,
        { ...between, waitMs: beforeMs },
        { ...first, actor: second, waitMs: afterMs, fate: lost },
      ]),
  );

/** Edits by hand, and sweeps in between. */
export const editHistory: fc.Arbitrary<EditHistory> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: edit.map((each) => [each]) },
      { weight: 1, arbitrary: sweep.map((each) => [each]) },
      { weight: 2, arbitrary: again },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.flat());

const off = { waitMs: 1_000, zone: editedZones[0], what: "off" } as const;

/** The answer of our correction is lost; before the next read, somebody else writes the value again, and the entry is lost. */
export const writtenAgain: EditHistory = [
  { ...off, waitMs: 57_500, actor: "alice@example.com", fate: undefined },
  { waitMs: 0, sweep: "loses answers" },
  { ...off, actor: "bob@example.com", fate: lost },
];

const onFirst = { waitMs: 0, zone: editedZones[0], actor: "alice@example.com" } as const;

/** Somebody writes the value that another one has just written: that changes nothing, and its entry is lost. */
export const doneTwice: EditHistory = [
  { ...onFirst, what: "tuned", fate: lost },
  { ...onFirst, what: "rule", fate: undefined },
  { ...onFirst, waitMs: 1, what: "tuned", fate: undefined },
  { ...onFirst, actor: "bob@example.com", what: "tuned", fate: lost },
];

/** Carries out a history, and gives the writes that the service took. */
export async function carryOutEdits(
  history: EditHistory,
  at: Emulated,
  fleet: EmulatedFleet,
  clock: SimulatedClock,
): Promise<readonly Edit[]> {
  const made: Edit[] = [];
  for (const step of history) {
    await fleet.pass(step.waitMs);
    const now = clock.now();
    if ("sweep" in step) {
      for (const order of troubles[step.sweep]) await at.fault(order);
      fleet.reconciler.requestSweep("schedule");
      await fleet.pass(1_000);
    } else if (await isEdited(step, at)) {
      const { seconds = 0 } = step.fate ?? {};
      const isLost = step.fate?.fault === "audit_lost";
      const shownAt = isLost ? Infinity : Number(now) + seconds * 1_000;
      const { zone: name, actor: by, what: did } = step;
      made.push({ ...edits[did], zone: name, actor: by, what: did, at: now, shownAt });
    }
    await endFaults(at.emulator);
  }
  return made;
}

/** Edits a zone by hand. What was deleted before cannot be edited. */
async function isEdited(step: EditStep, at: Emulated): Promise<boolean> {
  if (step.fate !== undefined) await at.fault({ ...step.fate, count: 1 });
  try {
    const { zone: name, actor: by } = step;
    await control(at.emulator, "/edit", { zone: name, actor: by, ...edits[step.what].body });
    return true;
  } catch {
    return false;
  }
}
