import { describe, it } from "vitest";

import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { chart, comparable, findHelm, renderChart } from "../deploy/chart.ts";
import {
  containersOf,
  nameOf,
  objectsInYaml,
  podsIn,
  render,
  renderOwn,
} from "../deploy/manifests.ts";
import { objectAt, textAt } from "../deploy/rules.ts";
import { noComponents } from "../deploy/tools.ts";
import { unknownKeysIn } from "../deploy/unknown-keys.ts";

const helm = findHelm();
const why = helm.missing ?? noComponents;

/** Each installation by kustomize, and the values with which the chart gives the same. */
const installations = [
  { what: "default", values: {}, kustomize: () => render("overlays/default") },
  { what: "ha", values: { "ha.enabled": true }, kustomize: () => render("overlays/ha") },
  {
    what: "monitored",
    values: { "monitoring.enabled": true },
    kustomize: () => render("overlays/monitored"),
  },
  {
    what: "git-sync",
    values: { "monitoring.enabled": true, "gitSync.enabled": true },
    kustomize: () => render("overlays/git-sync"),
  },
  {
    what: "base",
    values: { "networkPolicy.enabled": false },
    kustomize: () => render("base"),
  },
  {
    what: "cronjob",
    values: { "cronjob.enabled": true },
    kustomize: () => renderOwn({ of: "overlays/default", components: ["cronjob"] }),
  },
  {
    what: "the way to ha",
    values: { "ha.enabled": true, "ha.copyStore": true },
    kustomize: () => renderOwn({ of: "overlays/ha", components: ["store-copy"] }),
  },
  {
    what: "emulator",
    values: { "emulator.enabled": true },
    kustomize: () => render("overlays/emulator"),
  },
  {
    what: "ha, monitored, with zone files from Git",
    values: { "ha.enabled": true, "monitoring.enabled": true, "gitSync.enabled": true },
    kustomize: () => renderOwn({ of: "overlays/ha", components: ["git-sync", "monitoring"] }),
  },
];

function byNameOf(objects: readonly JsonObject[]): Readonly<Record<string, unknown>> {
  const named = objects.map(comparable).filter((object) => isJsonObject(object));
  return Object.fromEntries(named.map((object) => [nameOf(object), object]));
}

function configOf(objects: readonly JsonObject[]): JsonObject | undefined {
  const map = objects.find((object) => nameOf(object) === "ConfigMap/zonewarden-config");
  return objectsInYaml(textAt(objectAt(map ?? {}, "data"), "zonewarden.yaml"))[0];
}

function daemonOf(objects: readonly JsonObject[]): JsonObject {
  const [pod] = podsIn(objects).filter(({ owner }) => owner === "StatefulSet/zonewarden");
  return pod?.spec ?? {};
}

async function imagesWith(values: Record<string, unknown>): Promise<Set<string>> {
  const objects = await renderChart(helm, { ...values, "cronjob.enabled": true });
  const images = podsIn(objects).flatMap(containersOf);
  return new Set(images.map((each) => textAt(each, "image")));
}

describe.skipIf(why)(`the chart ${why ?? ""}`, () => {
  it("has nothing that helm lint minds", async ({ expect }) => {
    const report = await helm.run("lint", "--strict", "--quiet", chart);
    expect(report).not.toMatch(/WARNING|ERROR/);
  });

  it.for(installations)(
    "renders the objects of kustomize: $what",
    async ({ values, kustomize }, { expect }) => {
      const ours = await renderChart(helm, { createNamespace: true, ...values });
      expect(byNameOf(ours)).toEqual(byNameOf(await kustomize()));
    },
  );

  it("leaves out the namespace, which helm makes itself", async ({ expect }) => {
    const objects = await renderChart(helm, {});
    expect(objects.map(nameOf)).not.toContain("Namespace/zonewarden");
    expect(objects.map(nameOf)).toContain("StatefulSet/zonewarden");
  });

  it("merges your configuration into its own, and gives the rights that it needs", async ({
    expect,
  }) => {
    const objects = await renderChart(helm, {
      "config.mode": "enforce",
      "config.cluster.lease": "shops",
      "config.store.postgres.schema": "shops",
      "config.server.listen": "[::]:9464",
      "config.history.max_age": "720h",
      "ha.enabled": true,
    });
    expect(configOf(objects)).toMatchObject({
      mode: "enforce",
      desired: { path: "/zones/current/zones" },
      store: { postgres: { url_file: "/var/run/secrets/postgres/url", schema: "shops" } },
      cluster: { lease: "shops" },
      history: { max_age: "720h" },
    });
    const role = JSON.stringify(objects.filter(({ kind }) => kind === "Role"));
    expect(role).toContain('["shops"]');
    expect(role).not.toContain('["zonewarden"]');
  });

  it("runs your image, by its digest where it has one", async ({ expect }) => {
    const digest = `sha256:${"a1".repeat(32)}`;
    const repository = { "image.repository": "registry.example.com:5000/zonewarden" };
    expect(await imagesWith({ ...repository, "image.tag": "1.2.3" })).toEqual(
      new Set(["registry.example.com:5000/zonewarden:1.2.3"]),
    );
    expect(await imagesWith({ ...repository, "image.digest": digest })).toEqual(
      new Set([`registry.example.com:5000/zonewarden@${digest}`]),
    );
  });

  it("places the pods as you say, without a key that Kubernetes does not know", async ({
    expect,
  }) => {
    const objects = await renderChart(helm, {
      priorityClassName: "business-critical",
      imagePullSecrets: [{ name: "registry" }],
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ key: "dedicated", operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      podAnnotations: { team: "web" },
      podLabels: { team: "web" },
      extraEnv: [{ name: "HTTPS_PROXY", value: "http://proxy.example.com:3128" }],
      extraVolumes: [{ name: "sinks", secret: { secretName: "sinks" } }],
      extraVolumeMounts: [{ name: "sinks", mountPath: "/sinks" }],
      "podSecurityContext.runAsUser": null,
      "networkPolicy.ingressFrom": [{ namespaceSelector: {} }],
      "networkPolicy.extraEgress": [{ ports: [{ port: 22, protocol: "TCP" }] }],
      "store.storageClassName": "fast",
      "store.size": "1.5Gi",
      "image.pullPolicy": "Always",
      "cronjob.enabled": true,
      "emulator.enabled": true,
    });
    expect(await unknownKeysIn(objects)).toBe("");
    const spec = daemonOf(objects);
    expect(spec).toMatchObject({
      priorityClassName: "business-critical",
      imagePullSecrets: [{ name: "registry" }],
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ key: "dedicated", operator: "Exists" }],
      affinity: { nodeAffinity: {} },
    });
    expect(spec["securityContext"]).toMatchObject({ runAsNonRoot: true, fsGroup: 65_532 });
    expect(spec["securityContext"]).not.toHaveProperty("runAsUser");
    expect(JSON.stringify(spec)).toContain('"mountPath":"/sinks"');
    const proxy = '{"name":"HTTPS_PROXY","value":"http://proxy.example.com:3128"}';
    // The daemon and the audit job.
    expect(JSON.stringify(objects).split(proxy)).toHaveLength(3);
    expect(JSON.stringify(objects)).toContain('"storageClassName":"fast"');
    expect(JSON.stringify(objects)).toContain('"storage":"1.5Gi"');
  });

  it("has no pod that `helm template | kubectl apply` would create", async ({ expect }) => {
    const objects = await renderChart(helm, { "cronjob.enabled": true, "emulator.enabled": true });
    expect(objects.filter(({ kind }) => kind === "Pod")).toEqual([]);
    expect(JSON.stringify(objects)).not.toContain("helm.sh/hook");
  });

  it.for([
    { values: { replica: 3 }, says: "replica" },
    { values: { "ha.replicas": 0 }, says: "replicas" },
    { values: { "ha.replicas": "two" }, says: "replicas" },
    { values: { "config.mode": "enforced" }, says: "/config/mode" },
    { values: { "config.credentials": [{ name: "Main_A", token_file: "/a" }] }, says: "Main_A" },
    { values: { "config.credentials": [{ name: "main" }] }, says: "token_file" },
    { values: { "config.history.path": "/history" }, says: "path" },
    { values: { "config.limits.max_delete_share": "0.3%%" }, says: "max_delete_share" },
    { values: { "config.cluster.lease": "shops" }, says: "need ha.enabled" },
    { values: { "config.store.postgres.schema": "shops" }, says: "need ha.enabled" },
    {
      values: { "config.store.path": "/store", "ha.enabled": true },
      says: "cannot be combined",
    },
    // The probes and the volume of the pod are elsewhere.
    { values: { "config.server.listen": "0.0.0.0:8080" }, says: "config.server.listen" },
    { values: { "config.server.listen": "127.0.0.1:9464" }, says: "config.server.listen" },
    { values: { "config.store.path": "/var/lib/zonewarden-2" }, says: "config.store.path" },
    { values: { "config.store.path": "/var/lib/zonewarden/../2" }, says: "config.store.path" },
    { values: { extraEnv: [{ name: "A B" }] }, says: "A B" },
    { values: { extraEnv: [{ name: "ZONEWARDEN_CONFIG", value: "/a" }] }, says: "extraEnv" },
    { values: { extraEnv: [{ name: "POD_IP", value: "::1" }] }, says: "extraEnv" },
    { values: { extraVolumes: [{ name: "store", emptyDir: {} }] }, says: "extraVolumes" },
    { values: { podLabels: { "app.kubernetes.io/name": "waf" } }, says: "podLabels" },
    { values: { "store.size": "1.5GB" }, says: "size" },
    { values: { "cronjob.schedule": "17 3 * *" }, says: "schedule" },
    { values: { "cronjob.schedule": "0 17 3 * * *" }, says: "schedule" },
    { values: { "image.repository": "Zonewarden:1" }, says: "repository" },
    { values: { "image.digest": "sha256:1" }, says: "digest" },
    { values: { "image.tag": "a tag" }, says: "tag" },
    { values: { "zones.files": { "shop.txt": "" } }, says: "shop.txt" },
    { values: { "zones.files": { "shop.yaml": { zones: [] } } }, says: "shop.yaml" },
    { values: { "token.secretName": "" }, says: "secretName" },
    { values: { "token.value": "secret" }, says: "value" },
    { values: { "gitSync.environment": { PATH: "/" } }, says: "PATH" },
    { values: { "gitSync.enabled": true, "cronjob.enabled": true }, says: "cannot be combined" },
    { values: { "gitSync.enabled": true, "emulator.enabled": true }, says: "cannot be combined" },
  ])("refuses $values", async ({ values, says }, { expect }) => {
    await expect(renderChart(helm, values)).rejects.toThrow(says);
  });
});
