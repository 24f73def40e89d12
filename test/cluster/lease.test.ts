import { describe, it } from "vitest";

import type { KubeAnswer, KubeCall } from "../../src/cluster/kube-client.ts";
import { type Claim, leaseStore } from "../../src/cluster/lease.ts";
import { coerceObject } from "../../src/syntax/json.ts";

const claim: Claim = {
  holder: "a",
  durationMs: 15_000,
  transitions: 3,
  installation: "us at https://service.example",
  releasedBy: "",
  page: "",
  acquiredAt: undefined,
  now: new Date("2026-11-20T12:00:00.250Z"),
};

/** A Lease store, and what it sends to an API server that accepts everything. */
function sending() {
  const sent: KubeCall[] = [];
  const request = (call: KubeCall): Promise<KubeAnswer> => {
    sent.push(call);
    const { metadata, ...body } = coerceObject(call.body);
    const shown = { ...body, metadata: { ...coerceObject(metadata), resourceVersion: "7" } };
    return Promise.resolve({ status: 201, body: shown });
  };
  const kube = { namespace: "edge", request, [Symbol.asyncDispose]: () => Promise.resolve() };
  return { store: leaseStore("x", kube), sent };
}

describe("a Lease that is written", () => {
  it.for([
    { durationMs: 15_000, seconds: 15 },
    { durationMs: 15_010, seconds: 16 },
    { durationMs: 1_000, seconds: 1 },
    // The API server accepts no zero.
    { durationMs: 0, seconds: 1 },
  ])(
    "says in whole seconds how long it is held: $durationMs ms are $seconds s",
    async ({ durationMs, seconds }, { expect }) => {
      const { store, sent } = sending();
      const written = await store.create({ ...claim, durationMs }, 5_000);
      expect(sent).toMatchObject([
        { method: "POST", body: { spec: { leaseDurationSeconds: seconds, leaseTransitions: 3 } } },
      ]);
      expect(written).toMatchObject({ lease: { durationMs: seconds * 1_000, version: "7" } });
    },
  );

  it("has moments of six digits, and leaves out those that stay", async ({ expect }) => {
    const { store, sent } = sending();
    await store.create(claim, 5_000);
    const spec = coerceObject(coerceObject(sent[0]?.body)["spec"]);
    expect(spec["renewTime"]).toBe("2026-11-20T12:00:00.250000Z");
    expect(spec).not.toHaveProperty("acquireTime");
  });
});
