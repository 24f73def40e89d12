import { createSecureServer } from "node:http2";

import { describe, it } from "vitest";

import { answerError, createKubeClient } from "../../src/cluster/kube-client.ts";
import { isInPod, joinKubernetes } from "../../src/cluster/kubernetes.ts";
import { systemClock } from "../../src/host/clock.ts";
import { SimulatedClock } from "../support/clock.ts";
import { makeCertificate } from "../support/connect-proxy.ts";
import { startKubeApi } from "../support/kube-api.ts";
import { close, listenOnLoopback } from "../support/loopback.ts";
import { eventually } from "../support/processes.ts";

const inPod = {
  ZONEWARDEN_POD_NAME: "zonewarden-0",
  ZONEWARDEN_POD_UID: "0a1b",
  KUBERNETES_SERVICE_HOST: "10.0.0.1",
};

describe("a process in Kubernetes", () => {
  it("is in a pod if the environment names the pod and its cluster", ({ expect }) => {
    expect(isInPod(inPod)).toBe(true);
    for (const name of Object.keys(inPod)) {
      expect(isInPod({ ...inPod, [name]: undefined }), name).toBe(false);
      expect(isInPod({ ...inPod, [name]: "" }), name).toBe(false);
    }
  });

  it("finds its Lease and its pod, where the environment names both parts of it", async ({
    expect,
  }) => {
    await using kube = await startKubeApi();
    const readText = async (): Promise<string> => kube.kubeconfig;
    const clock = new SimulatedClock();
    await using found = await joinKubernetes("/k/config", { env: inPod, readText, clock });
    expect(found.pod).toEqual({ name: "zonewarden-0", uid: "0a1b" });
    expect(await found.lease("edge").read(10_000)).toBeUndefined();
    const path = "/apis/coordination.k8s.io/v1/namespaces/zonewarden/leases/edge";
    expect(kube.seen).toMatchObject([{ method: "GET", path, status: 404 }]);
    for (const name of ["ZONEWARDEN_POD_NAME", "ZONEWARDEN_POD_UID"]) {
      const ports = { env: { ...inPod, [name]: undefined }, readText, clock };
      await using unnamed = await joinKubernetes("/k/config", ports);
      expect(unnamed.pod, name).toBeUndefined();
    }
    expect(kube.connections.open).toBe(1);
    await found[Symbol.asyncDispose]();
    await eventually("it is closed", () => kube.connections.open === 0 || undefined);
    await expect(found.lease("edge").read(10_000)).rejects.toThrow("cannot be reached");
  });
});

describe("the connection to the API server", () => {
  it("trusts the authority of the cluster alone, and proves its sender", async ({ expect }) => {
    const [ours, theirs] = [await makeCertificate(), await makeCertificate()];
    const subjects: unknown[] = [];
    const accepted: unknown[] = [];
    const tls = { ca: theirs.cert, requestCert: true, rejectUnauthorized: false };
    const server = createSecureServer(
      { ...ours, ...tls, allowHTTP1: true },
      ({ headers, httpVersion, socket }, response) => {
        subjects.push("authorized" in socket && socket.authorized);
        const { accept, authorization, ...others } = headers;
        const agent = others["user-agent"];
        accepted.push([httpVersion, accept, agent, authorization, others["content-type"]]);
        response.end("{}");
      },
    );
    const port = await listenOnLoopback(server);
    const ask = async (secrets: {
      ca: string;
      certificate: string;
      key: string;
      token: string;
    }) => {
      const access = { server: `https://localhost:${port}`, namespace: "x" };
      await using client = createKubeClient(
        { ...access, secrets: async () => secrets },
        systemClock,
      );
      return await client.request({ method: "GET", path: "/version" }, 10_000);
    };
    const none = { ca: ours.cert, certificate: "", key: "", token: "" };
    await expect(ask({ ...none, ca: "" })).rejects.toThrow("cannot be reached");
    await expect(ask({ ...none, ca: theirs.cert })).rejects.toThrow("cannot be reached");
    expect(await ask(none)).toEqual({ status: 200, body: {} });
    await ask({ ...none, certificate: theirs.cert, key: theirs.key, token: "t" });
    expect(subjects).toEqual([false, true]);
    expect(accepted).toEqual([
      ["1.1", "application/json", "zonewarden", undefined, undefined],
      ["1.1", "application/json", "zonewarden", "Bearer t", undefined],
    ]);
    await close(server);
  });

  it.for([
    { body: { message: "no right" }, says: "X: the API server answered 403: no right" },
    { body: { message: 7 }, says: "X: the API server answered 403" },
    { body: null, says: "X: the API server answered 403" },
    { body: undefined, says: "X: the API server answered 403" },
  ])("says what the API server answered: $body", ({ body, says }, { expect }) => {
    expect(answerError("X", { status: 403, body })).toMatchObject({ message: says, status: 403 });
  });
});
