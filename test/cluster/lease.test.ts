import { describe, it } from "vitest";

import type { KubeAnswer, KubeCall } from "../../src/cluster/kube-client.ts";
import { type ClaimResult, leaseStore, type LeaseStore } from "../../src/cluster/lease.ts";
import { coerceObject } from "../../src/syntax/json.ts";
import { kubeOf } from "../support/kube-answers.ts";
import { claimOf } from "../support/simulated-cluster.ts";

/** The Lease store of an API server that answers each call so. */
function storeOf(answer: (call: KubeCall) => KubeAnswer): LeaseStore {
  return leaseStore("edge", kubeOf(answer));
}

/** A Lease store, and what it sends to an API server that accepts everything. */
function sending() {
  const sent: KubeCall[] = [];
  const store = storeOf((call) => {
    sent.push(call);
    const { metadata, ...body } = coerceObject(call.body);
    const shown = { ...body, metadata: { ...coerceObject(metadata), resourceVersion: "7" } };
    return { status: 201, body: shown };
  });
  return { store, sent };
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
      const written = await store.create(claimOf({ durationMs }), 5_000);
      const spec = { leaseDurationSeconds: seconds, leaseTransitions: 3 };
      const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", spec };
      expect(sent).toMatchObject([{ method: "POST", body }]);
      const lease = { durationMs: seconds * 1_000, transitions: 3, version: "7" };
      expect(written).toMatchObject({ lease });
    },
  );

  it("keeps what others wrote to it, and has the page of its holder", async ({ expect }) => {
    const { store, sent } = sending();
    const others = { labels: { team: "edge" }, annotations: { "example.com/note": "kept" } };
    const body = {
      kind: "Lease",
      metadata: { name: "edge", resourceVersion: "7", ...others },
      spec: { strategy: "OldestEmulationVersion" },
      status: { observed: true },
    };
    const known = await storeOf(() => ({ status: 200, body })).read(1);
    if (known === undefined) throw new Error("no Lease");
    await store.update(known, claimOf({ page: "http://10.0.0.7:9090" }), 5_000);
    expect(sent).toMatchObject([
      {
        method: "PUT",
        body: {
          metadata: {
            labels: others.labels,
            annotations: { ...others.annotations, "zonewarden/page": "http://10.0.0.7:9090" },
          },
          spec: body.spec,
          status: body.status,
        },
      },
    ]);
  });

  it("has moments of six digits, and leaves out those that stay", async ({ expect }) => {
    const { store, sent } = sending();
    const now = new Date("2026-11-20T12:00:00.250Z");
    await store.create(claimOf({ now }), 5_000);
    const spec = coerceObject(coerceObject(sent[0]?.body)["spec"]);
    expect(spec["renewTime"]).toBe("2026-11-20T12:00:00.250000Z");
    expect(spec).not.toHaveProperty("acquireTime");
  });
});

describe("a Lease in the API server", () => {
  const lease = { kind: "Lease", metadata: { name: "edge", resourceVersion: "7" } };

  it.for([
    { status: 200, created: "written", updated: "written" },
    { status: 201, created: "written", updated: "written" },
    { status: 409, created: "conflict", updated: "conflict" },
    // It was removed. Where one is created, the namespace is missing.
    { status: 404, created: "cannot be created", updated: "conflict" },
    { status: 403, created: "cannot be created", updated: "cannot be written" },
    { status: 500, created: "cannot be created", updated: "cannot be written" },
  ])("is $updated if the answer is $status", async ({ status, created, updated }, { expect }) => {
    const store = storeOf(() => ({ status, body: lease }));
    const known = await storeOf(() => ({ status: 200, body: lease })).read(1);
    if (known === undefined) throw new Error("no Lease");
    expect(await resultOf(store.create(claimOf(), 1))).toContain(created);
    expect(await resultOf(store.update(known, claimOf(), 1))).toContain(updated);
  });

  it.for([
    { what: "of another kind", body: { ...lease, kind: "Event" } },
    { what: "of another name", body: { ...lease, metadata: { ...lease.metadata, name: "x" } } },
    { what: "without a version", body: { ...lease, metadata: { name: "edge" } } },
    { what: "whose holder is a number", body: { ...lease, spec: { holderIdentity: 7 } } },
  ])("is no object $what", async ({ body }, { expect }) => {
    const store = storeOf((call) => ({ status: call.method === "POST" ? 201 : 200, body }));
    await expect(store.read(1)).rejects.toThrow("is no Lease");
    await expect(store.create(claimOf(), 1)).rejects.toThrow("is no Lease");
  });
});

/** What became of a write: its result, or why it has none. */
async function resultOf(writing: Promise<ClaimResult>): Promise<string> {
  try {
    return (await writing).result;
  } catch (error) {
    return String(error);
  }
}
