import { readFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { stateMapNames } from "../../src/memory/config-maps/state-maps.ts";
import { coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { chart, findHelm } from "../deploy/chart.ts";
import { deploy } from "../deploy/paths.ts";
import { noKubectl } from "../deploy/tools.ts";
import { type ApiServer, noApiServer, startApiServer } from "../support/api-server.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { type Daemon, eventually, startDaemon } from "../support/processes.ts";

const why = noKubectl ?? noApiServer();
const helm = findHelm();
const whyNoChart = why ?? helm.missing;
const account = "system:serviceaccount:zonewarden:zonewarden";
const overlay = (name: string): string => path.join(deploy, "kustomize/overlays", name);

/** A directory with the restricted namespace of the installations alone. */
const namespaceFile = path.join(deploy, "kustomize/base/namespace.yaml");

function apply(server: ApiServer, name: string): string {
  return server.kubectl("apply", "--server-side", "--validate=strict", "-k", overlay(name));
}

/** A kubeconfig with a token of the daemon's service account: it has the rights of the pod and no more. */
async function kubeconfigOfPod(server: ApiServer): Promise<string> {
  const text = await readFile(server.kubeconfig, "utf8");
  const token = server.kubectl("-n", "zonewarden", "create", "token", "zonewarden").trim();
  return text
    .replace(/token: "[^"]*"/, `token: "${token}"`)
    .replace("user: user }", "user: user, namespace: zonewarden }");
}

function holderOf(server: ApiServer, name = "zonewarden"): string {
  const lease = server.kubectl("-n", "zonewarden", "get", "lease", name, "-o", "json");
  return coerceText(coerceObject(coerceObject(JSON.parse(lease))["spec"])["holderIdentity"]);
}

function isIn({ output }: Daemon, identity: string): boolean {
  return identity !== "" && output().includes(`"identity":"${identity}"`);
}

async function allRun({ address }: Daemon): Promise<true> {
  return eventually("every zone is run", async () => {
    const text = await (await fetch(`${address}/metrics`)).text();
    const series = /^zonewarden_zone_last_attempt_timestamp_seconds\{[^}]*\} [1-9]/gm;
    return text.match(series)?.length === 3 || undefined;
  });
}

describe.skipIf(why)(`a real API server ${why ?? ""}`, () => {
  it.for(["ha", "single"])(
    "accepts the overlay %s without a warning, and its pod",
    async (name, { expect }) => {
      await using server = await startApiServer();
      expect(apply(server, name)).not.toMatch(/warning/i);
      // Once more: nothing is in the way of an upgrade.
      expect(apply(server, name)).not.toMatch(/warning/i);
      const json = server.kubectl("-n", "zonewarden", "get", "deploy", "zonewarden", "-o", "json");
      const { template } = coerceObject(coerceObject(JSON.parse(json))["spec"]);
      const { metadata, spec } = coerceObject(template);
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...coerceObject(metadata), name: "zonewarden-0", namespace: "zonewarden" },
        spec,
      };
      await using example = await exampleWithEmulator();
      await example.place.write("pod.json", JSON.stringify(pod));
      const file = path.join(example.place.directory, "pod.json");
      const created = server.kubectl("create", "--dry-run=server", "-f", file);
      expect(created).toContain("pod/zonewarden-0 created");
      expect(created).not.toMatch(/warning/i);
    },
  );

  it.skipIf(whyNoChart)(
    `accepts the chart without a warning, from kubectl and from helm ${whyNoChart ?? ""}`,
    async ({ expect }) => {
      await using server = await startApiServer();
      await using example = await exampleWithEmulator();
      server.kubectl("apply", "--server-side", "-f", namespaceFile);
      const all = ["cronjob", "emulator"].flatMap((name) => ["--set", `${name}.enabled=true`]);
      const rendered = await helm.run("template", "zonewarden", chart, "-n", "zonewarden", ...all);
      await example.place.write("chart.yaml", rendered);
      const file = path.join(example.place.directory, "chart.yaml");
      const strict = ["apply", "--server-side", "--validate=strict", "-f", file];
      const printed = server.kubectl(...strict);
      expect(printed).toContain("deployment.apps/zonewarden-emulator serverside-applied");
      // The pod of `helm test` is judged by the API server here: the namespace enforces the restricted profile.
      expect(printed).toContain("pod/zonewarden-doctor serverside-applied");
      expect(printed).not.toMatch(/warning/i);
      server.kubectl("delete", "-f", file, "--wait=false");

      const inCluster = ["-n", "zonewarden", "--kubeconfig", server.kubeconfig];
      const installed = await helm.run("install", "shops", chart, ...inCluster);
      expect(installed).toContain("STATUS: deployed");
      expect(installed).toContain("--from-file=token=./token");
      const upgrade = ["upgrade", "shops", chart, ...inCluster];
      expect(await helm.run(...upgrade, "--set", "config.mode=enforce")).toContain("REVISION: 2");
      const config = server.kubectl(
        "-n",
        "zonewarden",
        "get",
        "cm",
        "zonewarden-config",
        "-o",
        "yaml",
      );
      expect(config).toContain("mode: enforce");
      // One installation in a namespace: a second one would share its Lease and its pods' labels.
      await expect(helm.run("install", "more", chart, ...inCluster)).rejects.toThrow(/shops/);
    },
  );

  it("gives the daemon of ha the rights of the documentation, and no other", async ({ expect }) => {
    await using server = await startApiServer();
    apply(server, "ha");
    const review = JSON.stringify({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      spec: { namespace: "zonewarden" },
    });
    await using example = await exampleWithEmulator();
    await example.place.write("review.json", review);
    const file = path.join(example.place.directory, "review.json");
    const answer = server.kubectl(
      "create",
      "--validate=false",
      "-f",
      file,
      "-o",
      "json",
      `--as=${account}`,
    );
    const { resourceRules } = coerceObject(coerceObject(JSON.parse(answer))["status"]);
    const rules = coerceObjects(resourceRules)
      .filter(({ apiGroups }) => !/authorization|authentication/.test(JSON.stringify(apiGroups)))
      .map(({ resources, resourceNames, verbs }) => ({ resources, resourceNames, verbs }));
    const [create, write] = [["create"], ["get", "update"]];
    const maps = stateMapNames("zonewarden-state");
    const expected = [
      { resources: ["leases"], resourceNames: undefined, verbs: create },
      { resources: ["leases"], resourceNames: ["zonewarden"], verbs: write },
      { resources: ["configmaps"], resourceNames: undefined, verbs: create },
      { resources: ["configmaps"], resourceNames: maps, verbs: write },
      { resources: ["events"], resourceNames: undefined, verbs: create },
    ];
    expect(rules).toHaveLength(expected.length);
    expect(rules).toEqual(expect.arrayContaining(expected));
  });

  it("lets two processes with these rights take turns, and keep what was known", async ({
    expect,
  }) => {
    await using server = await startApiServer();
    apply(server, "ha");
    await using example = await exampleWithEmulator({
      config: 'schedule: { cron: "* * * * * *" }\ncluster: { kubeconfig: kubeconfig }',
    });
    await example.place.write("kubeconfig", await kubeconfigOfPod(server));
    const { directory } = example.place;
    const page = "http://10.0.0.7:9464/";
    await using first = await startDaemon(directory, { ZONEWARDEN_PAGE_URL: page });
    await allRun(first);
    await eventually("the state is stored", () =>
      server.kubectl("-n", "zonewarden", "get", "configmaps").includes("zonewarden-state ")
        ? true
        : undefined,
    );
    await using second = await startDaemon(directory);
    await eventually("the second waits", () =>
      second.output().includes("another process leads") ? true : undefined,
    );
    expect(isIn(first, holderOf(server))).toBe(true);
    expect(await (await fetch(second.address)).text()).toContain(`<a href="${page}">`);
    expect(await first.end("SIGTERM")).toBe(0);
    await allRun(second);
    expect(isIn(second, holderOf(server))).toBe(true);
    expect(second.output()).toContain("state loaded");
    expect(second.output()).not.toContain("first round");
    await eventually("the Events are there", () =>
      server
        .kubectl("-n", "zonewarden", "describe", "configmap", "zonewarden-state")
        .includes("LeaderElected")
        ? true
        : undefined,
    );
    // The Lease is removed under its holder, which stops, and works again when it is sure that nobody else does.
    server.kubectl("-n", "zonewarden", "delete", "lease", "zonewarden");
    await eventually("the holder stops", () =>
      second.output().includes('"reason":"removed"') ? true : undefined,
    );
    await eventually("it works again", () =>
      second.output().split("leadership acquired").length > 2 ? true : undefined,
    );
    await allRun(second);
  });
});
