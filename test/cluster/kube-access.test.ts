import { describe, it } from "vitest";

import { findAccess } from "../../src/cluster/kube-access.ts";
import { createKubeClient } from "../../src/cluster/kube-client.ts";
import { leaseStore } from "../../src/cluster/lease.ts";
import { systemClock } from "../../src/host/clock.ts";
import { SimulatedClock } from "../support/clock.ts";
import { leasePath, startKubeApi } from "../support/kube-api.ts";
import { eventually } from "../support/processes.ts";
import { claimOf } from "../support/simulated-cluster.ts";

const account = "/var/run/secrets/kubernetes.io/serviceaccount";

function filesOf(files: Readonly<Record<string, string>>): (file: string) => Promise<string> {
  return (file) => {
    const text = files[file];
    return text === undefined ? Promise.reject(new Error("ENOENT")) : Promise.resolve(text);
  };
}

const podFiles = {
  [`${account}/token`]: "a-token\n",
  [`${account}/ca.crt`]: "an-authority\n",
  [`${account}/namespace`]: "edge\n",
};

const good = `current-context: here
contexts: [{ name: here, context: { cluster: c, user: u, namespace: edge } }]
clusters: [{ name: c, cluster: { server: "https://api.example:6443/k8s/", certificate-authority: ca.pem } }]
users: [{ name: u, user: { client-certificate-data: Y2VydA==, client-key: key.pem } }]
`;

describe("access to a cluster", () => {
  it.for([
    { host: "10.0.0.1", server: "https://10.0.0.1:6443" },
    { host: "fd00::1", server: "https://[fd00::1]:6443" },
  ])("in a pod is that of its service account: $server", async ({ host, server }, { expect }) => {
    const env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: "6443" };
    const access = await findAccess(undefined, { env, readText: filesOf(podFiles) });
    expect(access).toMatchObject({ server, namespace: "edge" });
    expect(await access.secrets()).toEqual({
      ca: "an-authority",
      certificate: "",
      key: "",
      token: "a-token",
    });
  });

  it("by a kubeconfig reads the files that it names, beside it", async ({ expect }) => {
    const readText = filesOf({ "/k/config": good, "/k/ca.pem": "ca", "/k/key.pem": "key" });
    const access = await findAccess("/k/config", { env: {}, readText });
    expect(access).toMatchObject({ server: "https://api.example:6443/k8s", namespace: "edge" });
    expect(await access.secrets()).toEqual({
      ca: "ca",
      certificate: "cert",
      key: "key",
      token: "",
    });
  });

  it("in a pod is at the port of HTTPS where the environment names none", async ({ expect }) => {
    const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1" };
    const access = await findAccess(undefined, { env, readText: filesOf(podFiles) });
    expect(access.server).toBe("https://10.0.0.1:443");
  });

  it.for([
    { user: "{ token: own }", token: "own" },
    { user: "{ tokenFile: token }", token: "of the file" },
    { user: "{ token: of yesterday, tokenFile: token }", token: "of the file" },
  ])("by a kubeconfig with the user $user has the token: $token", async (each, { expect }) => {
    const config = good.replace(/user: \{ client.*\} \}\]/, `user: ${each.user} }]`);
    const files = { "/k/config": config, "/k/ca.pem": "ca", "/k/token": "of the file\n" };
    const access = await findAccess("/k/config", { env: {}, readText: filesOf(files) });
    expect(await access.secrets()).toEqual({
      ca: "ca",
      certificate: "",
      key: "",
      token: each.token,
    });
  });

  it("by a kubeconfig without a namespace is to the namespace default", async ({ expect }) => {
    const readText = filesOf({ "/k/config": good.replace(", namespace: edge", "") });
    const access = await findAccess("/k/config", { env: {}, readText });
    expect(access.namespace).toBe("default");
  });

  it.for([
    { when: "outside of a cluster", file: undefined, files: {}, says: "does not run in a Kube" },
    {
      when: "in a pod without a token",
      file: undefined,
      env: { KUBERNETES_SERVICE_HOST: "10.0.0.1" },
      files: {},
      says: "set automountServiceAccountToken: true",
    },
    { when: "without the file", file: "/k/config", files: {}, says: "cannot be read" },
    {
      when: "with no YAML",
      file: "/k/config",
      files: { "/k/config": "{" },
      says: "cannot be read",
    },
    {
      when: "with an empty file",
      file: "/k/config",
      files: { "/k/config": "" },
      says: "no context",
    },
    ...["exec", "auth-provider", "username", "as", "as-uid", "as-groups", "as-user-extra"].map(
      (key) => ({
        when: `with "${key}" of the user`,
        file: "/k/config",
        files: { "/k/config": good.replace("client-key: key.pem", `${key}: x`) },
        says: `the user has "${key}", which zonewarden does not support: use a token`,
      }),
    ),
    ...["proxy-url", "tls-server-name"].map((key) => ({
      when: `with "${key}" of the cluster`,
      file: "/k/config",
      files: { "/k/config": good.replace("certificate-authority", `${key}: x, $&`) },
      says: `the cluster has "${key}", which zonewarden does not support: give a server URL`,
    })),
    {
      when: "without verification",
      file: "/k/config",
      files: {
        "/k/config": good.replace(
          "certificate-authority: ca.pem",
          "insecure-skip-tls-verify: true",
        ),
      },
      says: "give the certificate authority",
    },
    {
      when: "without a server",
      file: "/k/config",
      files: { "/k/config": good.replace(/server: "[^"]*", /, "") },
      says: "no server URL",
    },
  ])("$when says what to do", async ({ file, files, env = {}, says }, { expect }) => {
    const found = findAccess(file, { env, readText: filesOf(files) });
    const error = await found.catch((reason: unknown) => String(reason));
    expect(error).toMatch(/^NoClusterAccess: /);
    expect(error).toContain(says);
  });
});

describe("the client of the API server", () => {
  it("reads the token again after a minute, and at once after a 401", async ({ expect }) => {
    await using kube = await startKubeApi();
    const clock = new SimulatedClock();
    let reads = 0;
    const secrets = async (): Promise<Record<"ca" | "certificate" | "key" | "token", string>> => {
      reads += 1;
      return { ca: "", certificate: "", key: "", token: `token-${reads}` };
    };
    const access = { server: kube.url, namespace: "zonewarden", secrets };
    await using client = createKubeClient(access, clock);
    const ask = async (): Promise<string | undefined> => {
      await client.request({ method: "GET", path: "/version" }, 5_000);
      return kube.seen.at(-1)?.authorization;
    };
    expect(await ask()).toBe("Bearer token-1");
    await clock.advance(59_000);
    expect(await ask()).toBe("Bearer token-1");
    await clock.advance(1_000);
    expect(await ask()).toBe("Bearer token-2");
    await clock.advance(59_000);
    expect(await ask()).toBe("Bearer token-2");
    kube.fault = () => ({ status: 401 });
    await ask();
    kube.fault = () => undefined;
    expect(await ask()).toBe("Bearer token-3");
  });

  it.for(["ca", "certificate", "key"] as const)(
    "connects anew where the %s has changed, and keeps its connection otherwise",
    async (part, { expect }) => {
      await using kube = await startKubeApi();
      const clock = new SimulatedClock();
      let secrets = { ca: "", certificate: "", key: "", token: "t" };
      const access = {
        server: kube.url,
        namespace: "zonewarden",
        secrets: async () => secrets,
      };
      await using client = createKubeClient(access, clock);
      const ask = async (): Promise<void> => {
        await client.request({ method: "GET", path: "/version" }, 5_000);
        await clock.advance(60_000);
      };
      await ask();
      secrets = { ...secrets, token: "another" };
      await ask();
      expect(kube.connections).toEqual({ opened: 1, open: 1 });
      secrets = { ...secrets, [part]: "another" };
      await ask();
      await eventually(
        "the first connection is closed",
        () => kube.connections.open === 1 || undefined,
      );
      expect(kube.connections.opened).toBe(2);
    },
  );

  it.for([
    {
      when: "it refuses",
      fault: { status: 403, message: "no right" },
      says: "answered 403: no right",
    },
    {
      when: "it refuses at length",
      fault: { status: 403, message: "no ".repeat(200) },
      says: /^Lease zonewarden cannot be read: the API server answered 403: (?:no ){100}$/,
    },
    { when: "it fails", fault: { status: 500 }, says: "answered 500" },
    { when: "it answers a word", fault: { status: 502, body: '"message"' }, says: /answered 502$/ },
    { when: "it answers nonsense", fault: { body: "<html>" }, says: "is no Lease" },
    { when: "it answers a list", fault: { body: "[]" }, says: "is no Lease" },
    {
      when: "it answers another Lease",
      fault: { body: '{"kind":"Lease","metadata":{"name":"x","resourceVersion":"1"}}' },
      says: "is no Lease",
    },
    {
      when: "the holder is no text",
      fault: {
        body: '{"kind":"Lease","metadata":{"name":"zonewarden","resourceVersion":"1"},"spec":{"holderIdentity":7}}',
      },
      says: "is no Lease",
    },
    {
      when: "it closes the connection",
      fault: "lose-answer",
      says: /the API server cannot be reached: other side closed$/,
    },
    { when: "it does not answer", fault: "hang", says: "did not answer within 50 ms" },
  ] as const)("says why there is no Lease where $when", async ({ fault, says }, { expect }) => {
    await using kube = await startKubeApi();
    kube.fault = () => fault;
    const secrets = { ca: "", certificate: "", key: "", token: "t" };
    const access = { server: kube.url, namespace: "zonewarden", secrets: async () => secrets };
    await using client = createKubeClient(access, systemClock);
    const ms = fault === "hang" ? 50 : 10_000;
    await expect(leaseStore("zonewarden", client).read(ms)).rejects.toThrow(says);
  });

  it.for(["late", "never"])(
    "does not connect where the token is read %s",
    async (read, { expect }) => {
      await using kube = await startKubeApi();
      const clock = new SimulatedClock();
      const secrets = async () => {
        await clock.advance(10_000);
        if (read === "never") await new Promise(() => undefined);
        return { ca: "", certificate: "", key: "", token: "t" };
      };
      const access = { server: kube.url, namespace: "zonewarden", secrets };
      await using client = createKubeClient(access, clock);
      const asking = client.request({ method: "GET", path: "/version" }, 10_000);
      await expect(asking).rejects.toMatchObject({
        message: "the API server did not answer within 10000 ms",
        status: 0,
      });
      expect(kube.connections.opened).toBe(0);
    },
  );

  it("says what is wrong with the secrets", async ({ expect }) => {
    const access = {
      server: "http://127.0.0.1:9",
      namespace: "zonewarden",
      secrets: () => Promise.reject(new Error("the token file is empty")),
    };
    await using client = createKubeClient(access, systemClock);
    await expect(client.request({ method: "GET", path: "/version" }, 10_000)).rejects.toThrow(
      /^the API server cannot be reached: the token file is empty$/,
    );
  });

  it("has no status of an answer that does not come, and waits for none any more", async ({
    expect,
  }) => {
    await using kube = await startKubeApi();
    const clock = new SimulatedClock();
    const secrets = { ca: "", certificate: "", key: "", token: "t" };
    const access = { server: kube.url, namespace: "zonewarden", secrets: async () => secrets };
    await using client = createKubeClient(access, clock);
    const ask = (): Promise<unknown> => client.request({ method: "GET", path: "/version" }, 10_000);
    await ask();
    kube.fault = () => "lose-answer";
    await expect(ask()).rejects.toMatchObject({ name: "KubeError", status: 0 });
    expect(clock.sleeping).toBe(0);
  });

  it.for([
    [15, 15_000],
    [0.5, 500],
    [0, undefined],
    [-3, undefined],
    ["15", undefined],
    [undefined, undefined],
  ] as const)("reads a duration of %s as %s ms", async ([seconds, durationMs], { expect }) => {
    await using kube = await startKubeApi();
    kube.edit(leasePath, () => ({
      kind: "Lease",
      metadata: { name: "zonewarden" },
      spec: {
        holderIdentity: "a",
        ...(seconds !== undefined && { leaseDurationSeconds: seconds }),
      },
    }));
    const secrets = { ca: "", certificate: "", key: "", token: "" };
    const access = { server: kube.url, namespace: "zonewarden", secrets: async () => secrets };
    await using client = createKubeClient(access, systemClock);
    const lease = await leaseStore("zonewarden", client).read(10_000);
    expect(lease).toMatchObject({ holder: "a", durationMs, transitions: 0 });
  });

  it("keeps what others wrote into a Lease", async ({ expect }) => {
    await using kube = await startKubeApi();
    const labels = { team: "edge" };
    kube.edit(leasePath, () => ({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "zonewarden", namespace: "zonewarden", labels },
      spec: { strategy: "OldestEmulationVersion" },
    }));
    const secrets = { ca: "", certificate: "", key: "", token: "t" };
    const access = { server: kube.url, namespace: "zonewarden", secrets: async () => secrets };
    await using client = createKubeClient(access, systemClock);
    const leases = leaseStore("zonewarden", client);
    const claim = claimOf({ transitions: 1, installation: "i", releasedBy: "b", page: "p" });
    const lease = await leases.read(1_000);
    if (lease === undefined) throw new Error("there is no Lease");
    expect(lease).toMatchObject({ holder: "", installation: "", releasedBy: "", page: "" });
    const first = { ...claim, acquiredAt: claim.now };
    const says = { holder: "a", installation: "i", releasedBy: "b", page: "p" };
    expect(await leases.update(lease, first, 1_000)).toMatchObject({ lease: says });
    expect(kube.objects.get(leasePath)).toMatchObject({
      metadata: {
        labels,
        annotations: {
          "zonewarden/installation": "i",
          "zonewarden/released-by": "b",
          "zonewarden/page": "p",
        },
      },
      spec: {
        strategy: "OldestEmulationVersion",
        holderIdentity: "a",
        leaseDurationSeconds: 15,
        leaseTransitions: 1,
        acquireTime: "2026-11-22T12:00:00.123000Z",
        renewTime: "2026-11-22T12:00:00.123000Z",
      },
    });
    expect(await leases.update(lease, { ...claim, holder: "b" }, 1_000)).toEqual({
      result: "conflict",
    });
  });
});
