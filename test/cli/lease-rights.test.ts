import { describe, it } from "vitest";

import { missingRight } from "../../src/cli/doctor/lease-rights.ts";
import { coerceObject, coerceText } from "../../src/syntax/json.ts";
import { kubeOf } from "../support/kube-answers.ts";

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
