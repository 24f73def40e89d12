import { describe, it } from "vitest";

import { Notifier } from "../../src/notify/notifier.ts";
import type { Sink } from "../../src/notify/outbox.ts";
import { labelSelector } from "../../src/zone/label-selector.ts";
import { a, drifted, fleetOf, held, shop, stepOf } from "../support/fleets.ts";
import { Receiver, sink } from "../support/receiver.ts";
import {
  at,
  declared,
  failure,
  fleetRefusal,
  heldLoad,
  hold,
  load,
  diagnostic,
  report,
  writeOf,
  type Came,
} from "../support/reports.ts";

/** Reasons of the notifications about runs of the shop, one run a minute. */
async function reasonsOf(
  severity: Sink["severity"],
  ...runs: readonly (Came | "dropped")[]
): Promise<readonly string[]> {
  const receiver = new Receiver();
  const notifier = new Notifier([{ ...sink, severity }], receiver.ports());
  const fleet = fleetOf();
  for (const [minute, came] of runs.entries()) {
    if (came === "dropped") {
      notifier.gone(fleet.declare([], at(minute)), load());
      continue;
    }
    notifier.zone(stepOf(fleet, report(shop, minute, came)));
    await receiver.clock.advance(60_000);
  }
  await receiver.clock.advance(60_000);
  return receiver.takeResults().map((text) => text.split(":")[0] ?? "");
}

const clear: Came = { result: "in_sync" };
const corrected: Came = { result: "applied", cause: "drift", changes: [a] };
const away: Came = { result: "error" };
const forbidden: Came = { result: "error", failure: failure("403", { transient: false }) };

const waiting = { result: "held", cause: "pending", changes: [a] } as const;
const heldPending: Came = { ...waiting, holds: [hold("contended"), hold("quota")] };
const observed: Came = { ...waiting, holds: [hold("observe")] };

interface Story {
  readonly when: string;
  readonly runs: readonly (Came | "dropped")[];
  readonly told: readonly string[];
}

const stories: readonly Story[] = [
  { when: "nothing happens", runs: [clear, clear], told: [] },
  { when: "drift stays", runs: [clear, drifted, drifted, drifted], told: ["DriftDetected"] },
  { when: "drift is corrected at once", runs: [clear, corrected, clear], told: ["DriftCorrected"] },
  {
    when: "somebody else corrects the drift",
    runs: [clear, drifted, clear],
    told: ["DriftDetected", "NoDriftDetected"],
  },
  {
    when: "drift cannot be corrected",
    runs: [
      clear,
      {
        ...corrected,
        outcomes: [
          {
            status: "failed",
            write: writeOf("policy/a"),
            failure: failure("400", { transient: false }),
          },
        ],
        left: [a],
      },
      corrected,
    ],
    told: ["DriftCorrectionFailed", "DriftCorrected"],
  },
  {
    when: "a plan is held",
    runs: [clear, held("contended"), held("contended")],
    told: ["PlanHeld"],
  },
  { when: "a single read fails", runs: [clear, away, clear], told: [] },
  {
    when: "reads fail again and again",
    runs: [clear, away, away, away, away, clear],
    told: ["ReconcileFailed", "Recovered"],
  },
  {
    when: "the failure is permanent",
    runs: [forbidden, forbidden, clear],
    told: ["ReconcileFailed", "Recovered"],
  },
  {
    when: "a single read fails after a held plan",
    runs: [heldPending, away, clear],
    told: ["PlanHeld"],
  },
  {
    when: "a plan that was held is no longer needed",
    runs: [heldPending, heldPending, clear],
    told: ["PlanHeld", "Recovered"],
  },
  { when: "the mode keeps a plan from being applied", runs: [observed, clear], told: [] },
  { when: "a zone in sync is no longer declared", runs: [clear, "dropped"], told: ["ZoneRemoved"] },
  {
    when: "a drifted zone is no longer declared",
    runs: [clear, drifted, "dropped"],
    told: ["DriftDetected", "NoLongerDeclared", "ZoneRemoved"],
  },
];

describe("the notifier", () => {
  it.for(stories)("sends $told when $when", async ({ runs, told }, { expect }) => {
    expect(await reasonsOf("info", ...runs)).toEqual(told);
  });

  it.for<Story>([
    {
      when: "reads fail again and again",
      runs: [clear, away, away, away, clear],
      told: ["ReconcileFailed", "Recovered"],
    },
    {
      when: "a plan was held",
      runs: [held("contended"), clear],
      told: ["PlanHeld", "NoDriftDetected"],
    },
    {
      when: "the zone is less protected, and then not",
      runs: [clear, drifted, clear],
      told: ["DriftDetected", "NoDriftDetected"],
    },
    {
      when: "it cannot be read either for a while",
      runs: [clear, drifted, forbidden, drifted, clear],
      told: ["DriftDetected", "ReconcileFailed", "NoDriftDetected"],
    },
    {
      when: "drift that weakened the protection is corrected at once",
      runs: [clear, corrected, clear],
      told: ["DriftCorrected"],
    },
    {
      when: "drift is corrected at once after a failure",
      runs: [forbidden, corrected, clear, corrected],
      told: ["ReconcileFailed", "DriftCorrected"],
    },
    {
      when: "a held zone is no longer declared",
      runs: [held("contended"), "dropped"],
      told: ["PlanHeld", "NoLongerDeclared"],
    },
  ])("sends $told to a sink for errors when $when", async ({ runs, told }, { expect }) => {
    expect(await reasonsOf("error", ...runs)).toEqual(told);
  });

  it("sends one notification for each new result of a load", async ({ expect }) => {
    const receiver = new Receiver();
    const notifier = new Notifier([{ ...sink, zones: ["none"] }], receiver.ports());
    const diagnostics = [diagnostic(), diagnostic()];
    const partial = load({ result: "partial", diagnostics });
    const rejected = load({ result: "rejected", diagnostics });
    const one = load({ result: "rejected", diagnostics: diagnostics.slice(1) });
    const all = [load(), partial, partial, rejected, load(), load(), one];
    for (const each of all) notifier.load(each);
    await receiver.clock.advance(1_000);
    expect(receiver.takeResults()).toEqual([
      expect.stringMatching(
        /^RevisionPartial: .*partially applied.*2 errors in shops\.yaml; shops\.yaml:12: /,
      ),
      expect.stringMatching(/^RevisionRejected: .*revision 8c9b6cfb\w+ stays active: 2 errors/),
      "RevisionApplied: the zone files are active without errors: 3 zones",
      expect.stringMatching(/^RevisionRejected: .* stays active: shops\.yaml:12: /),
    ]);
  });

  it("sends one notification for all zones that a revision drops", async ({ expect }) => {
    const receiver = new Receiver();
    const notifier = new Notifier([{ ...sink, zones: ["none"] }], receiver.ports());
    const names = Array.from({ length: 13 }, (_, n) => `z${n + 10}.example.com`);
    const fleet = fleetOf(...names.map((name) => declared(name)));
    notifier.gone(fleet.declare([], at(1)), load());
    await receiver.clock.advance(1_000);
    expect(receiver.takeResults()).toEqual([
      "ZoneRemoved: 13 zones are no longer managed and left as they were: z10.example.com, z11.example.com, z12.example.com, z13.example.com, z14.example.com, z15.example.com, z16.example.com, z17.example.com, z18.example.com, z19.example.com and 3 more",
    ]);
  });

  it.for([2, 40])(
    "of %i zones that are held for one reason says the hashes of few",
    async (count, { expect }) => {
      const receiver = new Receiver();
      const notifier = new Notifier([sink], receiver.ports());
      const names = Array.from({ length: count }, (_, n) => `z${n}.example`);
      const fleet = fleetOf(...names.map((name) => declared(name)));
      for (const [n, name] of names.entries()) {
        const holds = [
          hold("weakening", `would weaken: release this plan once with --accept ${n}`),
        ];
        notifier.zone(stepOf(fleet, report(name, 1, { ...waiting, holds })));
      }
      await receiver.clock.advance(60_000);
      const texts = receiver.takeResults();
      expect(texts.filter((text) => text.includes("--accept"))).toHaveLength(Math.min(count, 3));
      expect(texts.slice(3)).toEqual(
        count === 2
          ? []
          : [
              "PlanHeld: 37 more zones: ~ policy/a enabled false → true; held by weakening: zonewarden plan prints how to release each (z3.example, z4.example, z5.example and 34 more)",
            ],
      );
    },
  );

  it("sends one notification for a held revision, not one for each zone", async ({ expect }) => {
    const receiver = new Receiver();
    const notifier = new Notifier([sink], receiver.ports());
    const fleet = fleetOf(declared(shop, { hold: fleetRefusal }));
    for (const each of [load(), heldLoad(), heldLoad()]) notifier.load(each);
    for (const minute of [1, 2, 3]) notifier.zone(stepOf(fleet, report(shop, minute, clear)));
    notifier.load(load());
    await receiver.clock.advance(1_000);
    expect(receiver.takeResults()).toEqual([
      `RevisionHeld: a new revision of the zone files is held: ${fleetRefusal.message}`,
      "RevisionApplied: the zone files are active without errors: 3 zones",
    ]);
  });
});

describe("a sink with `labels`", () => {
  it("gets what runs and loads say of the zones of its team alone", async ({ expect }) => {
    const receiver = new Receiver();
    const labels = labelSelector("team=payments");
    const notifier = new Notifier([{ ...sink, labels }], receiver.ports());
    const other = "other.example.com";
    const fleet = fleetOf(
      declared(shop, { labels: { team: "payments" } }),
      declared(other, { labels: { team: "search" } }),
      declared("third.example.com"),
    );
    for (const zone of [other, shop, "third.example.com"]) {
      notifier.zone(stepOf(fleet, report(zone, 1, drifted)));
    }
    for (const zone of [other, shop]) {
      notifier.gone(
        fleet.declare(
          fleet.zones.map((state) => state.declared).filter(({ name }) => name !== zone),
          at(2),
        ),
        load(),
      );
    }
    await receiver.clock.advance(60_000);
    expect(receiver.takeResults()).toEqual([
      "DriftDetected: somebody lowered the protection: policy/a enabled true → false",
      "NoLongerDeclared: the zone is no longer declared: it stays as it is and is not reconciled any more",
      `ZoneRemoved: ${shop} is no longer managed and left as it was`,
    ]);
  });
});
