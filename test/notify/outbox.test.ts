import { describe, it } from "vitest";

import { shop } from "../support/fleets.ts";
import { notice, Receiver } from "../support/receiver.ts";

describe("a sink", () => {
  it("is told only of its zones, in whatever case they are written, and with `error` only of what wants somebody", async ({
    expect,
  }) => {
    const receiver = new Receiver();
    const outbox = receiver.outbox({ zones: ["*.Brand.example", shop], severity: "error" });
    outbox.add(notice);
    outbox.add({ ...notice, zone: "other.example" });
    outbox.add({ ...notice, zone: "a.brand.example" });
    outbox.add({ ...notice, severity: "info", message: "another thing" });
    outbox.add({ ...notice, zone: "b.brand.example", severity: "info", isOver: true });
    await receiver.clock.advance(1_000);
    expect(receiver.messages).toHaveLength(2);
  });

  it("hears the same words about a zone once in five minutes", async ({ expect }) => {
    const receiver = new Receiver();
    const outbox = receiver.outbox();
    for (let minute = 0; minute < 10; minute += 1) {
      outbox.add(notice);
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
      receiver.outbox().add(notice);
      await receiver.clock.advance(120_000);
      expect(receiver.messages).toHaveLength(tries);
      expect(receiver.results).toEqual(results);
      expect(receiver.reasons.join(" ")).not.toContain("secret-path");
    },
  );

  it("of slack that answers 429 is tried again: there it means to slow down", async ({
    expect,
  }) => {
    const receiver = new Receiver();
    receiver.answers = [429];
    receiver.outbox({ type: "slack" }).add(notice);
    await receiver.clock.advance(120_000);
    expect(receiver.messages).toHaveLength(2);
  });

  it("is told by thirty messages of a fleet that drifts, and later how many were left out", async ({
    expect,
  }) => {
    const receiver = new Receiver();
    const outbox = receiver.outbox();
    for (let zone = 0; zone < 90; zone += 1) outbox.add({ ...notice, zone: `z${zone}.example` });
    await receiver.clock.advance(1_000);
    expect(receiver.messages).toHaveLength(30);
    await receiver.clock.advance(5 * 60_000);
    outbox.add(notice);
    await receiver.clock.advance(1_000);
    expect(receiver.told().at(-1)).toContain("(60 notices before this were left out)");
  });

  it("that does not answer holds nobody up, and is given up at the end of the program", async ({
    expect,
  }) => {
    const receiver = new Receiver();
    receiver.answers = Array.from({ length: 50 }, () => undefined);
    const outbox = receiver.outbox();
    for (let zone = 0; zone < 200; zone += 1) outbox.add({ ...notice, zone: `z${zone}.example` });
    await receiver.clock.run(outbox.close(5_000));
    expect(receiver.results.every((result) => result === "error")).toBe(true);
    expect(receiver.results).toHaveLength(200);
  });
});
