import { describe, it } from "vitest";

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
    { answers: [200], tries: 1, results: ["done"] },
    { answers: [503, undefined, 200], tries: 3, results: ["done"] },
    { answers: [500, 500, 500, 500], tries: 4, results: ["error"] },
    { answers: [400], tries: 1, results: ["error"] },
    { answers: [429], tries: 1, results: ["done"] },
  ])(
    "that answers $answers is tried $tries times: $results",
    async ({ answers, tries, results }, { expect }) => {
      const receiver = new Receiver();
      receiver.answers = [...answers];
      receiver.outbox().add(notification);
      await receiver.clock.advance(120_000);
      expect(receiver.messages).toHaveLength(tries);
      expect(receiver.results).toEqual(results);
      expect(receiver.reasons.join(" ")).not.toContain("secret-path");
    },
  );

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
      outbox.add({ ...notification, zone: `z${zone}.example` });
    }
    await receiver.clock.advance(1_000);
    expect(receiver.messages).toHaveLength(30);
    await receiver.clock.advance(5 * 60_000);
    outbox.add(notification);
    await receiver.clock.advance(1_000);
    expect(receiver.takeResults().at(-1)).toContain("(60 earlier notifications were left out)");
  });

  it("that does not answer delays nothing, and its queue is dropped at shutdown", async ({
    expect,
  }) => {
    const receiver = new Receiver();
    receiver.answers = Array.from({ length: 50 }, () => undefined);
    const outbox = receiver.outbox();
    for (let zone = 0; zone < 200; zone += 1) {
      outbox.add({ ...notification, zone: `z${zone}.example` });
    }
    await receiver.clock.run(outbox.close(5_000));
    expect(receiver.results.every((result) => result === "error")).toBe(true);
    expect(receiver.results).toHaveLength(200);
  });
});
