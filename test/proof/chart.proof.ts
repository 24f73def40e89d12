import { describe, it } from "vitest";

import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { chart, comparable, findHelm, renderChart } from "../deploy/chart.ts";
import {
  containersOf,
  nameOf,
  objectsInYaml,
  podsIn,
  render,
  renderWith,
} from "../deploy/manifests.ts";
import { objectAt, textAt } from "../deploy/rules.ts";
import { noComponents } from "../deploy/tools.ts";
import { unknownKeysIn } from "../deploy/unknown-keys.ts";

const helm = findHelm();
const why = helm.missing ?? noComponents;

/** Each installation by kustomize, and the values with which the chart gives the same. */
const installations = [
  { what: "ha", values: {}, kustomize: () => render("overlays/ha") },
  {
    what: "single",
    values: { "single.enabled": true },
    kustomize: () => render("overlays/single"),
  },
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
    kustomize: () => renderWith("network-policy", "cronjob"),
  },
  {
    what: "emulator",
    values: { "emulator.enabled": true },
    kustomize: () => renderWith("network-policy", "emulator"),
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
  const [pod] = podsIn(objects).filter(({ owner }) => owner === "Deployment/zonewarden");
  return pod?.spec ?? {};
}

/** The pod of `helm test`. */
function doctorOf(objects: readonly JsonObject[]): JsonObject {
  return objectAt(objects.find(({ kind }) => kind === "Pod") ?? {}, "spec");
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
      const ours = await renderChart(helm, { createNamespace: true, ...values }, "--skip-tests");
      expect(byNameOf(ours)).toEqual(byNameOf(await kustomize()));
    },
  );

  it("leaves out the namespace, which helm makes itself", async ({ expect }) => {
    const objects = await renderChart(helm, {}, "--skip-tests");
    expect(objects.map(nameOf)).not.toContain("Namespace/zonewarden");
    expect(objects.map(nameOf)).toContain("Deployment/zonewarden");
  });

  it("merges your configuration into its own, and gives the rights that it needs", async ({
    expect,
  }) => {
    const objects = await renderChart(helm, {
      "config.mode": "enforce",
      "config.cluster.lease": "shops",
      "config.history.max_size": 67_108_864,
      pageUrl: "http://[$(POD_IP)]:9464/",
    });
    expect(JSON.stringify(daemonOf(objects))).toContain('"value":"http://[$(POD_IP)]:9464/"');
    expect(configOf(objects)).toMatchObject({
      mode: "enforce",
      desired: { path: "/zones" },
      cluster: { lease: "shops" },
      history: { max_size: 67_108_864 },
    });
    const role = JSON.stringify(objects.filter(({ kind }) => kind === "Role"));
    expect(role).toContain('["shops"]');
    expect(role).toContain('"shops-state-b7"');
    expect(role).not.toContain('"zonewarden-state');
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
      extraVolumes: [{ name: "history", persistentVolumeClaim: { claimName: "history" } }],
      extraVolumeMounts: [{ name: "history", mountPath: "/history" }],
      "podSecurityContext.runAsUser": null,
      "networkPolicy.ingressFrom": [{ namespaceSelector: {} }],
      "networkPolicy.extraEgress": [{ ports: [{ port: 22, protocol: "TCP" }] }],
      "single.enabled": true,
      "single.storageClassName": "fast",
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
    expect(JSON.stringify(spec)).toContain('"mountPath":"/history"');
    expect(JSON.stringify(objects)).toContain('"storageClassName":"fast"');
  });

  it("checks the set-up by `helm test`, with the rights of the daemon", async ({ expect }) => {
    const ha = doctorOf(await renderChart(helm, {}));
    expect(ha).toMatchObject({ automountServiceAccountToken: true, restartPolicy: "Never" });
    expect(JSON.stringify(ha["containers"])).toContain('"doctor"');
    const single = doctorOf(await renderChart(helm, { "single.enabled": true }));
    expect(single).toMatchObject({ automountServiceAccountToken: false });
    expect(JSON.stringify(single["containers"])).toContain('"validate"');
  });

  it.for([
    { values: { replica: 3 }, says: "replica" },
    { values: { replicas: 0 }, says: "replicas" },
    { values: { pageUrl: "10.0.0.7" }, says: "pageUrl" },
    { values: { replicas: "two" }, says: "replicas" },
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
