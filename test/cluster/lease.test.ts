import { describe, it } from "vitest";

import type { KubeAnswer, KubeCall, KubeClient } from "../../src/cluster/kube-client.ts";
import {
  type ClaimResult,
  leaseStore,
  type LeaseStore,
  missingRight,
} from "../../src/cluster/lease.ts";
import { coerceObject, coerceText } from "../../src/syntax/json.ts";
import { claimOf } from "../support/simulated-cluster.ts";

/** An API server that answers each call so. */
function kubeOf(answer: (call: KubeCall) => KubeAnswer): KubeClient {
  const request = (call: KubeCall): Promise<KubeAnswer> => Promise.resolve(answer(call));
  return { namespace: "edge", request, [Symbol.asyncDispose]: () => Promise.resolve() };
}

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

describe("the rights to a Lease", () => {
  const lease = { kind: "Lease", metadata: { name: "edge", resourceVersion: "7" } };

  it.for([
    { is: "there", rights: ["update"], lacks: undefined, asked: ["update"] },
    { is: "there", rights: ["create"], lacks: "update", asked: ["update"] },
    { is: "missing", rights: ["create", "update"], lacks: undefined, asked: ["create", "update"] },
    { is: "missing", rights: ["update"], lacks: "create", asked: ["create"] },
    { is: "missing", rights: ["create"], lacks: "update", asked: ["create", "update"] },
  ])("lack $lacks where it is $is, with $rights", async (row, { expect }) => {
    const asked: unknown[] = [];
    const kube = kubeOf(({ method, path, body }) => {
      if (method === "GET") return { status: row.is === "there" ? 200 : 404, body: lease };
      const { resourceAttributes } = coerceObject(coerceObject(body)["spec"]);
      const verb = coerceText(coerceObject(resourceAttributes)["verb"]);
      asked.push({ path, resourceAttributes });
      return { status: 201, body: { status: { allowed: row.rights.includes(verb) } } };
    });
    expect(await missingRight("edge", kube, 1_000)).toBe(row.lacks);
    const resource = { group: "coordination.k8s.io", resource: "leases", namespace: "edge" };
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    expect(asked).toEqual(
      row.asked.map((verb) => ({
        path,
        // A rule for one name allows no creation.
        resourceAttributes: { ...resource, verb, ...(verb === "update" && { name: "edge" }) },
      })),
    );
  });

  it("are not known where the API server does not tell them", async ({ expect }) => {
    const kube = kubeOf(({ method }) => ({
      status: method === "GET" ? 404 : 403,
      body: { message: "no" },
    }));
    await expect(missingRight("edge", kube, 1_000)).rejects.toThrow(
      "the rights cannot be asked for: the API server answered 403: no",
    );
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
