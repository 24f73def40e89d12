import { describe, it } from "vitest";

import type { KubeAnswer, KubeCall, KubeClient } from "../../src/cluster/kube-client.ts";
import { type ClusterEvent, EventRecorder } from "../../src/notify/event-recorder.ts";
import { coerceObject, coerceText } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";

const pod = { name: "zonewarden-0", uid: "0a1b" };

class Stage {
  readonly clock = new SimulatedClock();
  readonly calls: KubeCall[] = [];
  readonly failures: string[] = [];
  status = 201;
  answers = true;
  /** Called while a request is on its way. */
  sending: () => void = () => undefined;
  readonly recorder: EventRecorder;

  constructor() {
    let nth = 0;
    const kube: KubeClient = {
      namespace: "zonewarden",
      request: async (call): Promise<KubeAnswer> => {
        this.calls.push(call);
        this.sending();
        if (!this.answers) await new Promise(() => undefined);
        return { status: this.status, body: { message: "no such permission" } };
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
    this.recorder = new EventRecorder({
      kube,
      clock: this.clock,
      uniqueId: () => `ID${(nth += 1)}`,
      pod,
      failed: ({ message }) => this.failures.push(message),
    });
  }

  record(reason: string, note = "a note", type: ClusterEvent["type"] = "Normal"): void {
    this.recorder.record({ reason, type, note });
  }

  get notes(): readonly string[] {
    return this.calls.map(({ body }) => coerceText(coerceObject(body)["note"]));
  }
}

describe("events", () => {
  it("have the fields that the API server asks for", async ({ expect }) => {
    const stage = new Stage();
    stage.record("PlanHeld", "shop: held", "Warning");
    await stage.clock.advance(10_000);
    expect(stage.calls).toEqual([
      {
        method: "POST",
        path: "/apis/events.k8s.io/v1/namespaces/zonewarden/events",
        body: {
          apiVersion: "events.k8s.io/v1",
          kind: "Event",
          metadata: { name: "zonewarden-0.id1", namespace: "zonewarden" },
          eventTime: "2026-11-20T12:00:10.000000Z",
          reportingController: "zonewarden",
          reportingInstance: "zonewarden-0",
          action: "PlanHeld",
          reason: "PlanHeld",
          type: "Warning",
          note: "shop: held",
          regarding: { apiVersion: "v1", kind: "Pod", ...pod, namespace: "zonewarden" },
        },
      },
    ]);
  });

  it("of one reason within ten seconds are one, however many", async ({ expect }) => {
    const stage = new Stage();
    for (let nth = 0; nth < 5_000; nth += 1) stage.record("PlanApplied", `zone-${nth}: changed`);
    stage.record("PlanHeld");
    await stage.clock.advance(10_000);
    expect(stage.calls).toHaveLength(2);
    const [note = ""] = stage.notes;
    expect(note).toMatch(/^5000 times: zone-0: changed\nzone-1/);
    expect(note).toMatch(/… and 4990 more$/);
  });

  it("are cut where they are too long for the API server", async ({ expect }) => {
    const stage = new Stage();
    for (let nth = 0; nth < 12; nth += 1) stage.record("PlanHeld", "x".repeat(900));
    await stage.clock.advance(10_000);
    expect(stage.notes[0]?.length).toBeLessThanOrEqual(1_024);
    expect(stage.notes[0]).toMatch(/… and 2 more$/);
  });

  it("are never more than 25 in five minutes, and nothing is lost", async ({ expect }) => {
    const stage = new Stage();
    const moments: number[] = [];
    for (let second = 0; second < 1_800; second += 10) {
      for (const reason of ["A", "B", "C"]) stage.record(reason, `${second}`);
      const before = stage.calls.length;
      await stage.clock.advance(10_000);
      for (let nth = before; nth < stage.calls.length; nth += 1) moments.push(second);
    }
    for (const from of moments) {
      expect(moments.filter((at) => at >= from && at < from + 300).length).toBeLessThanOrEqual(25);
    }
    await stage.clock.advance(600_000);
    const counted = stage.notes.map((note) => Number(/^(\d+) times/.exec(note)?.[1] ?? 1));
    expect(counted.reduce((a, b) => a + b, 0)).toBe(3 * 180);
  });

  it("that the API server refuses are said once, until it accepts one", async ({ expect }) => {
    const stage = new Stage();
    for (const status of [403, 403, 201, 403]) {
      stage.status = status;
      stage.record("A");
      await stage.clock.advance(10_000);
    }
    expect(stage.failures).toHaveLength(2);
    expect(stage.failures[0]).toContain("403: no such permission");
  });

  it("do not keep the process from ending where the API server does not answer", async ({
    expect,
  }) => {
    const stage = new Stage();
    stage.answers = false;
    for (const reason of ["A", "B", "C"]) stage.record(reason);
    await stage.clock.run(stage.recorder[Symbol.asyncDispose]());
    expect(stage.clock.monotonicMs()).toBe(3_000);
  });

  it("are written when the process ends, and leave no timer behind", async ({ expect }) => {
    const stage = new Stage();
    stage.record("A");
    await stage.recorder[Symbol.asyncDispose]();
    expect(stage.calls).toHaveLength(1);
    expect(stage.clock.sleeping).toBe(0);
  });

  it("that come while one is sent are gathered like all others", async ({ expect }) => {
    const stage = new Stage();
    stage.sending = () => {
      if (stage.clock.monotonicMs() > 10_000) return;
      stage.record("A", "late");
      stage.record("B", "late");
    };
    stage.record("A");
    stage.record("B");
    await stage.clock.advance(10_000);
    expect(stage.notes).toEqual(["a note", "2 times: a note\nlate"]);
    await stage.clock.advance(10_000);
    expect(stage.notes.slice(2)).toEqual(["2 times: late\nlate", "late"]);
  });
});
