import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, describe, it } from "vitest";

import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { findHelm, renderChart } from "../deploy/chart.ts";
import { nameOf, podsIn, renderOwn } from "../deploy/manifests.ts";
import { noComponents } from "../deploy/tools.ts";
import { type ApiServer, noApiServer, startApiServer } from "../support/api-server.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { operatorDefinitions } from "../support/operator-definitions.ts";
import { installation, noPostgres } from "../support/postgres.ts";
import { type Daemon, eventually, startDaemon } from "../support/processes.ts";

const why = noComponents ?? noApiServer();
const helm = findHelm();
const whyNoChart = why ?? helm.missing;
const definitions = why === undefined ? operatorDefinitions() : "";
const whyNoOperator = definitions === "" ? "(the kinds of the operator are not here)" : undefined;

let server: ApiServer;
let directory = "";

beforeAll(async () => {
  if (why !== undefined) return;
  server = await startApiServer();
  directory = await mkdtemp(path.join(tmpdir(), "zonewarden-objects-"));
  if (definitions !== "") {
    server.kubectl("apply", "--server-side", "-f", definitions);
    server.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s");
  }
}, 180_000);

afterAll(async () => {
  if (why !== undefined) return;
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function fileWith(objects: readonly JsonObject[]): Promise<string> {
  const file = path.join(directory, "objects.json");
  await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  return file;
}

/** Applies objects strictly, and once more, as an upgrade does; tries each of their pods. Gives what was printed. */
async function apply(objects: readonly JsonObject[], namespace: string): Promise<string> {
  const strict = ["apply", "--server-side", "--validate=strict", "-f"];
  const [spaces, others] = [true, false].map((is) =>
    objects.filter(({ kind }) => (kind === "Namespace") === is),
  );
  const printed = server.kubectl(...strict, await fileWith(spaces ?? []));
  const file = await fileWith(others ?? []);
  const applied = printed + server.kubectl(...strict, file) + server.kubectl(...strict, file);
  // A controller would make the pods. The namespace refuses one that the restricted profile does not allow.
  const pods = podsIn(objects).map(({ labels, spec }, nth) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${nth}`, namespace, labels },
    spec,
  }));
  const created = server.kubectl("create", "--dry-run=server", "-f", await fileWith(pods));
  return applied + created;
}

/** What is refused or warned of in a namespace with a name of somebody's own. */
const overlays = [
  { of: "base", components: [] },
  { of: "overlays/default", components: [] },
  { of: "overlays/ha", components: [] },
  { of: "overlays/emulator", components: [] },
  { of: "overlays/default", components: ["cronjob"] },
  { of: "overlays/ha", components: ["cronjob"] },
  { of: "overlays/ha", components: ["store-copy"] },
  { of: "overlays/monitored", components: [] },
  { of: "overlays/git-sync", components: [] },
  { of: "overlays/ha", components: ["git-sync", "monitoring"] },
];

const placed = {
  priorityClassName: "system-cluster-critical",
  imagePullSecrets: [{ name: "registry" }],
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "dedicated", operator: "Exists" }],
  podAnnotations: { team: "web" },
  podLabels: { team: "web" },
  extraEnv: [{ name: "HTTPS_PROXY", value: "http://proxy.example.com:3128" }],
  extraVolumes: [{ name: "sinks", secret: { secretName: "sinks" } }],
  extraVolumeMounts: [{ name: "sinks", mountPath: "/sinks" }],
};

/** Values of the chart. */
const valueSets: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { "ha.enabled": true },
  { "ha.enabled": true, "ha.copyStore": true, "gitSync.enabled": true },
  { "ha.enabled": true, "ha.replicas": 3, "config.cluster.lease": "shops" },
  { "cronjob.enabled": true, "cronjob.schedule": "@daily" },
  { "ha.enabled": true, "cronjob.enabled": true },
  { "emulator.enabled": true },
  { "ha.enabled": true, "emulator.enabled": true },
  { "networkPolicy.enabled": false, "store.storageClassName": "fast", "store.size": "512M" },
  { "networkPolicy.ingressFrom": [], "networkPolicy.extraEgress": [{ ports: [{ port: 3128 }] }] },
  {
    "podSecurityContext.runAsUser": null,
    "podSecurityContext.runAsGroup": null,
    "podSecurityContext.fsGroup": null,
  },
  placed,
  { "monitoring.enabled": true, "gitSync.enabled": true },
  { "ha.enabled": true, "monitoring.enabled": true, "gitSync.enabled": true },
];

/** A kubeconfig with a token of the daemon's service account: it has the rights of the pod and no more. */
async function kubeconfigOfPod(namespace: string): Promise<string> {
  const text = await readFile(server.kubeconfig, "utf8");
  const token = server.kubectl("-n", namespace, "create", "token", "zonewarden").trim();
  return text
    .replace(/token: "[^"]*"/, `token: "${token}"`)
    .replace("user: user }", `user: user, namespace: ${namespace} }`);
}

/** The rights of an account, without those that everybody has. */
async function rightsOf(account: string, namespace: string): Promise<readonly JsonObject[]> {
  const file = path.join(directory, "review.json");
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectRulesReview",
    spec: { namespace },
  };
  await writeFile(file, JSON.stringify(review));
  const asJson = ["-o", "json", `--as=${account}`];
  const answer = server.kubectl("create", "--validate=false", "-f", file, ...asJson);
  const { resourceRules } = coerceObject(coerceObject(JSON.parse(answer))["status"]);
  return coerceObjects(resourceRules)
    .filter(({ apiGroups }) => !/authorization|authentication/.test(JSON.stringify(apiGroups)))
    .map(({ resources, resourceNames = [], verbs }) => ({
      resources: resources ?? [],
      resourceNames,
      verbs: verbs ?? [],
    }));
}

function isIn({ output }: Daemon, identity: string): boolean {
  return identity !== "" && output().includes(`"identity":"${identity}"`);
}

/** Waits until a daemon has logged something. */
function logged(daemon: Daemon, text: string, times = 1): Promise<true> {
  return eventually(text, () => (daemon.output().split(text).length > times ? true : undefined));
}

async function allRun({ address }: Daemon): Promise<true> {
  return eventually("every zone is run", async () => {
    const text = await (await fetch(`${address}/metrics`)).text();
    const series = /^zonewarden_zone_last_attempt_timestamp_seconds\{[^}]*\} [1-9]/gm;
    return text.match(series)?.length === 3 || undefined;
  });
}

function needsOperator(names: string): boolean {
  return /monitor|git-sync/.test(names);
}

/** What the manifests say to a pod about itself. */
function podVariables(nth: number): Record<string, string> {
  return {
    ZONEWARDEN_POD_NAME: `zonewarden-${nth}`,
    ZONEWARDEN_POD_UID: `00000000-0000-4000-8000-00000000000${nth}`,
  };
}

describe.skipIf(why)(`a real API server ${why ?? ""}`, () => {
  it.for(overlays.map((overlay, nth) => ({ ...overlay, namespace: `security-${nth}` })))(
    "accepts $of with $components in the namespace $namespace, and its pods, without a warning",
    async ({ of, components, namespace }, { expect, skip }) => {
      skip(needsOperator(of + components.join("")) && whyNoOperator !== undefined, whyNoOperator);
      const objects = await renderOwn({ of, components, namespace });
      expect(await apply(objects, namespace)).not.toMatch(/warning/i);
    },
  );

  describe.skipIf(whyNoChart)(`the chart ${whyNoChart ?? ""}`, () => {
    it.for(valueSets.map((values, nth) => ({ values, namespace: `chart-${nth}` })))(
      "is accepted in the namespace $namespace with $values",
      async ({ values, namespace }, { expect, skip }) => {
        skip("monitoring.enabled" in values && whyNoOperator !== undefined, whyNoOperator);
        const all = { ...values, createNamespace: true };
        const objects = await renderChart(helm, all, `--namespace=${namespace}`);
        expect(objects.map(nameOf)).toContain(`Namespace/${namespace}`);
        expect(await apply(objects, namespace)).not.toMatch(/warning/i);
      },
    );

    it("is installed and upgraded by helm, once in a namespace", async ({ expect }) => {
      server.kubectl("create", "namespace", "helmed");
      const inCluster = ["-n", "helmed", "--kubeconfig", server.kubeconfig];
      const at = path.resolve(import.meta.dirname, "../../deploy/chart");
      const installed = await helm.run("install", "shops", at, ...inCluster);
      expect(installed).toContain("STATUS: deployed");
      expect(installed).toContain("--from-file=token=./token");
      expect(installed).toContain("exec zonewarden-0 -- zonewarden doctor");
      const upgrade = ["upgrade", "shops", at, ...inCluster];
      expect(await helm.run(...upgrade, "--set", "config.mode=enforce")).toContain("REVISION: 2");
      const map = ["get", "cm", "zonewarden-config", "-o", "yaml"];
      expect(server.kubectl("-n", "helmed", ...map)).toContain("mode: enforce");
      await expect(helm.run("install", "more", at, ...inCluster)).rejects.toThrow(/shops/);
    });
  });

  it.for(["default", "ha"])(
    "gives the daemon of %s the rights of the documentation in its own namespace, and no other",
    async (overlay, { expect }) => {
      const namespace = `rights-${overlay}`;
      await apply(await renderOwn({ of: `overlays/${overlay}`, namespace }), namespace);
      const election = [
        { resources: ["leases"], resourceNames: [], verbs: ["create"] },
        { resources: ["leases"], resourceNames: ["zonewarden"], verbs: ["get", "update"] },
      ];
      const expected = [
        { resources: ["events"], resourceNames: [], verbs: ["create"] },
        ...(overlay === "ha" ? election : []),
      ];
      const rights = await rightsOf(`system:serviceaccount:${namespace}:zonewarden`, namespace);
      expect(rights).toHaveLength(expected.length);
      expect(rights).toEqual(expect.arrayContaining(expected));
      // Somebody else may own the namespace of the manifests.
      const other = `system:serviceaccount:zonewarden:zonewarden`;
      expect(await rightsOf(other, namespace)).toEqual([]);
    },
  );

  it.skipIf(noPostgres)(
    `lets two processes with these rights take turns on one database ${noPostgres ?? ""}`,
    async ({ expect }) => {
      const namespace = "turns";
      await apply(await renderOwn({ of: "overlays/ha", namespace }), namespace);
      const { url } = await installation();
      await using example = await exampleWithEmulator({
        config: `schedule: { cron: "* * * * * *" }
store: { postgres: { url_file: database-url } }
cluster: { kubeconfig: kubeconfig }`,
      });
      const { place } = example;
      await place.write("database-url", url);
      await place.write("kubeconfig", await kubeconfigOfPod(namespace));
      const holder = (): string => {
        const lease = server.kubectl("-n", namespace, "get", "lease", "zonewarden", "-o", "json");
        return coerceText(coerceObject(coerceObject(JSON.parse(lease))["spec"])["holderIdentity"]);
      };
      await using first = await startDaemon(place.directory, podVariables(0));
      await allRun(first);
      await using second = await startDaemon(place.directory, podVariables(1));
      await logged(second, "another process leads");
      expect(isIn(first, holder())).toBe(true);
      expect(await (await fetch(second.address)).text()).toContain(holder());
      // In each pod, a command knows what the leader knows.
      expect((await place.run("plan")).stdout).toContain("No changes");
      expect((await place.run("history")).code).toBe(0);
      expect(await first.end("SIGTERM")).toBe(0);
      await allRun(second);
      expect(isIn(second, holder())).toBe(true);
      expect(second.output()).toContain("state loaded");
      expect(second.output()).not.toContain("first round");
      await eventually("the Events are there", () => {
        const events = server.kubectl("-n", namespace, "get", "events.events.k8s.io", "-o", "wide");
        return /LeaderElected.*zonewarden-1/.test(events) ? true : undefined;
      });
      // The Lease is removed under its holder, which stops, and works again when it is sure that nobody else does.
      server.kubectl("-n", namespace, "delete", "lease", "zonewarden");
      await logged(second, '"reason":"removed"');
      await logged(second, "leadership acquired", 2);
      await allRun(second);
      expect(await second.end("SIGTERM")).toBe(0);
      expect(await place.run("history", "verify")).toMatchObject({ code: 0 });
    },
  );
});
