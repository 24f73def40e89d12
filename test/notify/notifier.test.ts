import { createHmac } from "node:crypto";

import { describe, it } from "vitest";

import { type Message, messageOf } from "../../src/notify/message.ts";
import { Notifier } from "../../src/notify/notifier.ts";
import { Outbox, type Sink } from "../../src/notify/outbox.ts";
import type { Notice } from "../../src/report/notice.ts";
import { isJsonObject } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import { textIn } from "../support/emulator.ts";
import { a, drifted, fleetOf, held, shop } from "../support/fleets.ts";
import { at, failure, load, problem, report, writeOf, type Came } from "../support/reports.ts";

const notice: Notice = {
  reason: "DriftDetected",
  severity: "error",
  at: at(1),
  zone: shop,
  message: "less protected than declared: ~ rule/owasp paranoia_level 2 → 1",
  revision: "8c9b6cf",
  run: "run-1",
};

/** A receiver that answers as it is told, and what became of the messages. */
class Receiver {
  readonly clock = new SimulatedClock();
  readonly messages: Message[] = [];
  readonly results: string[] = [];
  readonly reasons: string[] = [];
  /** Statuses of the answers to come; `undefined`: none. After them: 200. */
  answers: (number | undefined)[] = [];

  ports(): ConstructorParameters<typeof Outbox>[1] {
    return {
      post: async (_url, message) => {
        this.messages.push(message);
        await Promise.resolve();
        const answer = this.answers.length > 0 ? this.answers.shift() : 200;
        if (answer === undefined) throw new Error("connect https://hooks.example/secret-path");
        return { status: answer };
      },
      clock: this.clock,
      random: () => 1,
      instance: "pod-1",
      sent: (_sink, result) => this.results.push(result),
      failed: (_sink, { reason }, why) => this.reasons.push(`${reason}: ${why}`),
    };
  }

  outbox(more: Partial<Sink> = {}): Outbox {
    return new Outbox({ ...sink, ...more }, this.ports());
  }

  /** Texts of the messages of Flux's form. */
  told(): readonly string[] {
    return this.messages.map(({ body }) => {
      const event: unknown = JSON.parse(body);
      if (!isJsonObject(event)) throw new Error(body);
      return `${textIn(event, "reason")}: ${textIn(event, "message")}`;
    });
  }
}

const sink: Sink = {
  name: "security",
  type: "webhook",
  zones: ["*"],
  severity: "info",
  url: () => Promise.resolve("https://hooks.example/secret-path"),
  secret: () => Promise.resolve(""),
};

/** What a sink is told of runs of the shop, a minute after one another. */
async function toldOf(...runs: readonly Came[]): Promise<readonly string[]> {
  const receiver = new Receiver();
  const notifier = new Notifier([sink], receiver.ports());
  const fleet = fleetOf();
  for (const [minute, came] of runs.entries()) {
    const before = fleet.zone(shop);
    const told = report(shop, minute, came);
    fleet.recordZone(told);
    const after = fleet.zone(shop);
    if (before !== undefined && after !== undefined) notifier.zone({ before, report: told, after });
    await receiver.clock.advance(60_000);
  }
  return receiver.told().map((text) => text.split(":")[0] ?? "");
}

const clear: Came = { result: "in-sync" };
const corrected: Came = { result: "applied", cause: "drift", changes: [a] };
const away: Came = { result: "unreadable" };
const forbidden: Came = { result: "unreadable", failure: failure("403", { transient: false }) };

interface Story {
  readonly when: string;
  readonly runs: readonly Came[];
  readonly told: readonly string[];
}

const stories: readonly Story[] = [
  { when: "nothing happens", runs: [clear, clear], told: [] },
  { when: "drift stays", runs: [clear, drifted, drifted, drifted], told: ["DriftDetected"] },
  { when: "drift is undone at once", runs: [clear, corrected, clear], told: ["DriftCorrected"] },
  {
    when: "somebody else undoes drift",
    runs: [clear, drifted, clear],
    told: ["DriftDetected", "NoDriftDetected"],
  },
  {
    when: "drift cannot be undone",
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
    runs: [clear, held("CONTENDED"), held("CONTENDED")],
    told: ["PlanBlocked"],
  },
  { when: "a single read fails", runs: [clear, away, clear], told: [] },
  {
    when: "reads fail again and again",
    runs: [clear, away, away, away, away, clear],
    told: ["ReconcileFailed", "Recovered"],
  },
  {
    when: "the service says no for good",
    runs: [forbidden, forbidden, clear],
    told: ["ReconcileFailed", "Recovered"],
  },
];

describe("a zone is told of", () => {
  it.for(stories)("as $told when $when", async ({ runs, told }, { expect }) => {
    expect(await toldOf(...runs)).toEqual(told);
  });

  it("also when files break and are mended, once for each state of them", async ({ expect }) => {
    const receiver = new Receiver();
    const notifier = new Notifier([{ ...sink, zones: ["none"] }], receiver.ports());
    const broken = load({ result: "invalid", problems: [problem(), problem()] });
    for (const each of [load(), broken, broken, load(), load()]) notifier.load(each);
    await receiver.clock.advance(1_000);
    expect(receiver.told()).toEqual([
      expect.stringMatching(/^ConfigInvalid: .*shops\.yaml:12: .*\(and 1 more\)$/),
      "ConfigApplied: the files are in order again: 3 zones",
    ]);
  });
});

describe("a message", () => {
  it("has the fields of Flux's event, and a signature of its body", ({ expect }) => {
    const { headers, body } = messageOf("webhook", notice, "pod-1", "key");
    expect(JSON.parse(body)).toEqual({
      involvedObject: {
        apiVersion: "zonewarden/v1",
        kind: "Zone",
        namespace: "zonewarden",
        name: shop,
      },
      severity: "error",
      timestamp: "2026-11-21T10:01:00.000Z",
      message: notice.message,
      reason: "DriftDetected",
      metadata: { revision: "8c9b6cf", run: "run-1" },
      reportingController: "zonewarden",
      reportingInstance: "pod-1",
    });
    const signature = createHmac("sha256", "key").update(body).digest("hex");
    expect(headers).toMatchObject({
      "gotk-component": "zonewarden",
      "x-signature": `sha256=${signature}`,
    });
  });

  it("is not signed where there is no key", ({ expect }) => {
    expect(messageOf("webhook", notice, "pod-1", "").headers).not.toHaveProperty("x-signature");
  });

  it.for(["slack", "teams"] as const)(
    "for %s calls nobody and links nowhere",
    (type, { expect }) => {
      const hostile = {
        ...notice,
        message: "<!channel> <https://evil.example|ok> [ok](https://evil.example)",
      };
      const { body } = messageOf(type, hostile, "pod-1", "");
      expect(body).toContain(shop);
      if (type === "slack") expect(body).not.toMatch(/<[!@h]/);
      else expect(body).not.toContain("[ok]");
    },
  );
});

describe("a sink", () => {
  it("is told only of its zones, and with `error` only of what wants somebody", async ({
    expect,
  }) => {
    const receiver = new Receiver();
    const outbox = receiver.outbox({ zones: ["*.brand.example", shop], severity: "error" });
    outbox.add(notice);
    outbox.add({ ...notice, zone: "other.example" });
    outbox.add({ ...notice, zone: "a.brand.example" });
    outbox.add({ ...notice, severity: "info", message: "fine" });
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
