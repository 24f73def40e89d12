import { describe, it } from "vitest";

import { labelSelector } from "../../src/zone/label-selector.ts";
import { shop } from "../support/fleets.ts";
import { notification, Receiver } from "../support/receiver.ts";

describe("a sink", () => {
  it("gets notifications of its zones, in any case, and with `error` only errors and what resolves them", async ({
    expect,
  }) => {
    const receiver = new Receiver();
    const outbox = receiver.outbox({ zones: ["*.Brand.example", shop], severity: "error" });
    outbox.add(notification);
    outbox.add({ ...notification, zone: "other.example" });
    outbox.add({ ...notification, zone: "a.brand.example" });
    outbox.add({ ...notification, severity: "info", message: "another thing" });
    outbox.add({ ...notification, zone: "b.brand.example", severity: "info", isResolved: true });
    await receiver.clock.advance(1_000);
    expect(receiver.messages).toHaveLength(2);
  });

  it("with `labels` gets notifications of zones that have them, and all about revisions", async ({
    expect,
  }) => {
    const receiver = new Receiver();
    const outbox = receiver.outbox({ labels: labelSelector("team=payments,tier!=gold") });
    const zones = [
      { zone: "a.example", labels: { team: "payments" } },
      { zone: "b.example", labels: { team: "payments", tier: "gold" } },
      { zone: "c.example", labels: { team: "search" } },
      { zone: "d.example" },
      { zone: "", labels: undefined },
    ];
    for (const each of zones) outbox.add({ ...notification, message: each.zone, ...each });
    await receiver.clock.advance(1_000);
    expect(receiver.takeResults()).toEqual(["DriftDetected: a.example", "DriftDetected: "]);
  });

  it.for(["info", "error"] as const)(
    "of severity %s is told of the end of an error, though the zone has another team by then",
    async (severity, { expect }) => {
      const receiver = new Receiver();
      const outbox = receiver.outbox({ severity, labels: labelSelector("team=payments") });
      const [before, after] = [{ team: "payments" }, { team: "search" }];
      const resolved = {
        ...notification,
        severity: "info",
        labels: after,
        isResolved: true,
      } as const;
      outbox.add({ ...notification, message: "held", labels: before });
      outbox.add({ ...notification, zone: "other.example", message: "held", labels: after });
      outbox.add({ ...resolved, message: "recovered" });
      outbox.add({ ...resolved, zone: "other.example", message: "recovered" });
      outbox.add({ ...resolved, message: "drift corrected" });
      await receiver.clock.advance(1_000);
      expect(receiver.takeResults()).toEqual(["DriftDetected: held", "DriftDetected: recovered"]);
    },
  );

  it("gets the same notification once in five minutes", async ({ expect }) => {
    const receiver = new Receiver();
    const outbox = receiver.outbox();
    for (let minute = 0; minute < 10; minute += 1) {
      outbox.add(notification);
      await receiver.clock.advance(60_000);
    }
    expect(receiver.messages).toHaveLength(2);
  });

  it.for([
    { answers: [200], tries: 1, results: ["done"], reasons: [] },
    { answers: [503, undefined, 200], tries: 3, results: ["done"], reasons: [] },
    {
      answers: [500, 500, 500, 502],
      tries: 4,
      results: ["error"],
      reasons: ["DriftDetected: answered 502"],
    },
    {
      answers: [undefined, undefined, undefined, undefined],
      tries: 4,
      results: ["error"],
      reasons: ["DriftDetected: no answer: Error"],
    },
    { answers: [400], tries: 1, results: ["error"], reasons: ["DriftDetected: answered 400"] },
    { answers: [429], tries: 1, results: ["done"], reasons: [] },
  ])(
    "that answers $answers is tried $tries times: $results",
    async ({ answers, tries, results, reasons }, { expect }) => {
      const receiver = new Receiver();
      receiver.answers = [...answers];
      receiver.outbox().add(notification);
      await receiver.clock.advance(120_000);
      expect(receiver.messages).toHaveLength(tries);
      expect(receiver.results).toEqual(results);
      expect(receiver.reasons).toEqual(reasons);
    },
  );

  it.for(["url", "secret"] as const)(
    "whose %s cannot be read for a moment gets its notification later",
    async (name, { expect }) => {
      const receiver = new Receiver();
      const readAt: number[] = [];
      const read = (): Promise<string> => {
        readAt.push(receiver.clock.monotonicMs());
        return readAt.length < 4
          ? Promise.reject(new Error("EACCES"))
          : Promise.resolve("https://hooks.example/rotated");
      };
      receiver.outbox({ [name]: read }).add(notification);
      await receiver.clock.advance(120_000);
      expect(readAt).toEqual([0, 1_000, 5_000, 21_000]);
      expect(receiver.messages).toHaveLength(1);
      expect(receiver.results).toEqual(["done"]);
      expect(receiver.reasons).toEqual([]);
    },
  );

  it("whose secret stays unreadable loses the notification, and the reason is reported", async ({
    expect,
  }) => {
    const receiver = new Receiver();

    receiver
      .outbox({ secret: () => Promise.reject(new Error("EACCES: /run/secrets/hook")) })
      .add(notification);
    await receiver.clock.advance(120_000);
    expect(receiver.messages).toEqual([]);
    expect(receiver.results).toEqual(["error"]);
    expect(receiver.reasons).toEqual([
      "DriftDetected: its URL or secret cannot be read: EACCES: /run/secrets/hook",
    ]);
  });

  it("retries a 429 of Slack", async ({ expect }) => {
    const receiver = new Receiver();
    receiver.answers = [429];
    receiver.outbox({ type: "slack" }).add(notification);
    await receiver.clock.advance(120_000);
    expect(receiver.messages).toHaveLength(2);
  });

  it("gets at most thirty notifications in five minutes, and then the number left out", async ({
    expect,
  }) => {
    const receiver = new Receiver();
    const outbox = receiver.outbox();
    for (let zone = 0; zone < 90; zone += 1) {
      outbox.add({ ...notification, zone: `z${zone}.example`, message: `policy/p${zone} deleted` });
    }
    await receiver.clock.advance(1_000);
    expect(receiver.messages).toHaveLength(30);
    await receiver.clock.advance(5 * 60_000);
    outbox.add(notification);
    await receiver.clock.advance(1_000);
    expect(receiver.takeResults().at(-1)).toContain("(60 earlier notifications were left out)");
  });

  it.for([
    { count: 1, alone: 1, more: [] },
    { count: 3, alone: 3, more: [] },
    { count: 4, alone: 4, more: [] },
    {
      count: 40,
      alone: 3,
      more: ["37 more zones: z3.example, z4.example, z5.example and 34 more"],
    },
    {
      count: 400,
      alone: 3,
      more: ["397 more zones: z3.example, z4.example, z5.example and 394 more"],
    },
  ])(
    "hears of $count zones of which the same is said in $alone messages, and one about all others",
    async ({ count, alone, more }, { expect }) => {
      const receiver = new Receiver();
      const outbox = receiver.outbox();
      for (let zone = 0; zone < count; zone += 1) {
        outbox.add({ ...notification, zone: `z${zone}.example` });
        // A sweep takes a while.
        await receiver.clock.advance(100);
      }
      await receiver.clock.advance(60_000);
      const texts = receiver.takeResults();
      expect(
        texts.filter((text) => text === `DriftDetected: ${notification.message}`),
      ).toHaveLength(alone);
      expect(texts.slice(alone)).toEqual(
        more.map((text) => {
          const [, zones = "", names = ""] = /^(.*): (.*)$/.exec(text) ?? [];
          return `DriftDetected: ${zones}: ${notification.message} (${names})`;
        }),
      );
      expect(receiver.results.every((result) => result === "done")).toBe(true);
    },
  );

  it("hears what was gathered of a zone before what follows of the zone", async ({ expect }) => {
    const receiver = new Receiver();
    const outbox = receiver.outbox();
    const names = Array.from({ length: 5 }, (_, zone) => `z${zone}.example`);
    for (const zone of names) outbox.add({ ...notification, zone });
    await receiver.clock.advance(10_000);
    const recovered = { ...notification, reason: "Recovered", message: "recovered" } as const;
    outbox.add({ ...recovered, zone: "z0.example" });
    await receiver.clock.advance(1_000);
    expect(receiver.takeResults().slice(3)).toEqual(["Recovered: recovered"]);
    outbox.add({ ...recovered, zone: "z4.example" });
    await receiver.clock.advance(60_000);
    expect(receiver.takeResults().slice(4)).toEqual([
      `DriftDetected: 2 more zones: ${notification.message} (z3.example, z4.example)`,
      "Recovered: recovered",
    ]);
  });

  it("hears at the stop what was gathered", async ({ expect }) => {
    const receiver = new Receiver();
    const outbox = receiver.outbox();
    for (let zone = 0; zone < 40; zone += 1) {
      outbox.add({ ...notification, zone: `z${zone}.example` });
    }
    await receiver.clock.run(outbox.close(5_000));
    expect(receiver.messages).toHaveLength(4);
    expect(receiver.takeResults().at(-1)).toContain("37 more zones");
  });

  it("hears without hashes of plans that are held for the same reason", async ({ expect }) => {
    const receiver = new Receiver();
    const outbox = receiver.outbox();
    for (let zone = 0; zone < 40; zone += 1) {
      const message = `~ policy/a; held: release this plan once with --accept ${zone}`;
      const statement = "~ policy/a; held by weakening";
      outbox.add({
        ...notification,
        zone: `z${zone}.example`,
        reason: "PlanHeld",
        message,
        statement,
      });
    }
    await receiver.clock.advance(60_000);
    expect(receiver.takeResults().slice(3)).toEqual([
      "PlanHeld: 37 more zones: ~ policy/a; held by weakening (z3.example, z4.example, z5.example and 34 more)",
    ]);
  });

  it("that does not answer delays nothing, and its queue is dropped at shutdown", async ({
    expect,
  }) => {
    const receiver = new Receiver();
    receiver.answers = Array.from({ length: 50 }, () => undefined);
    const outbox = receiver.outbox();
    for (let zone = 0; zone < 200; zone += 1) {
      outbox.add({ ...notification, zone: `z${zone}.example`, message: `policy/p${zone} deleted` });
    }
    await receiver.clock.run(outbox.close(5_000));
    expect(receiver.results.every((result) => result === "error")).toBe(true);
    expect(receiver.results).toHaveLength(200);
    const reasons = Map.groupBy(receiver.reasons, (reason) => reason);
    expect([...reasons].map(([reason, all]) => `${all.length} ${reason}`)).toEqual([
      "99 DriftDetected: the queue is full",
      "1 DriftDetected: no answer: Error",
      "100 DriftDetected: the program is stopping",
    ]);
  });
});
