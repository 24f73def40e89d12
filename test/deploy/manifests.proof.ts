import { describe, it } from "vitest";
import { parse } from "yaml";

import { graceMs } from "../../src/host/shutdown.ts";
import { version } from "../../src/host/version.ts";
import { graceMs as notifyGraceMs } from "../../src/notify/notifier.ts";
import { coerceObject, type JsonObject } from "../../src/syntax/json.ts";
import { metricTable } from "../../src/telemetry/metrics/metric-table.ts";
import { codeBlocksOf } from "../support/code-blocks.ts";
import { type Pod, containersOf, nameOf, podsIn, render, renderOwn } from "./manifests.ts";
import { objectAt, objectsIn, textAt } from "./rules.ts";
import { noComponents, noKubectl } from "./tools.ts";
import { unknownKeysIn } from "./unknown-keys.ts";

const situations = [
  { what: "the base", without: noKubectl, read: () => render("base") },
  { what: "the default", without: noComponents, read: () => render("overlays/default") },
  { what: "the overlay ha", without: noComponents, read: () => render("overlays/ha") },
  {
    what: "the overlay monitored",
    without: noComponents,
    read: () => render("overlays/monitored"),
  },
  { what: "the overlay git-sync", without: noComponents, read: () => render("overlays/git-sync") },
  {
    what: "the default with the audit job",
    without: noComponents,
    read: () => renderOwn({ of: "overlays/default", components: ["cronjob"] }),
  },
  {
    what: "the way to ha, with zone files from Git",
    without: noComponents,
    read: () => renderOwn({ of: "overlays/ha", components: ["git-sync", "store-copy"] }),
  },
  {
    what: "ha with monitoring and zone files from Git",
    without: noComponents,
    read: () => renderOwn({ of: "overlays/ha", components: ["monitoring", "git-sync"] }),
  },
];

const targetLabels = [
  "namespace",
  "service",
  "pod",
  "container",
  "endpoint",
  "node",
  "job",
  "instance",
];

for (const { what, without, read } of situations) {
  describe.skipIf(without)(`${what} ${without ?? ""}`, () => {
    it("keeps every object in the namespace, which enforces the restricted profile", async ({
      expect,
    }) => {
      const objects = await read();
      const [namespace] = objects.filter(({ kind }) => kind === "Namespace");
      expect(objectAt(objectAt(namespace ?? {}, "metadata"), "labels")).toMatchObject({
        "pod-security.kubernetes.io/enforce": "restricted",
      });
      const elsewhere = objects
        .filter((object) => object["kind"] !== "Namespace")
        .filter((object) => textAt(objectAt(object, "metadata"), "namespace") !== "zonewarden");
      expect(elsewhere.map(nameOf)).toEqual([]);
    });

    it("gives rights in its own namespace alone, and a token to what leads", async ({ expect }) => {
      const objects = await read();
      expect(objects.map(nameOf).filter((name) => /Cluster|Secret/.test(name))).toEqual([]);
      const [account] = objects.filter(({ kind }) => kind === "ServiceAccount");
      expect(account).toMatchObject({ automountServiceAccountToken: false });
      for (const { owner, spec } of podsIn(objects)) {
        expect(spec).toMatchObject({
          automountServiceAccountToken: owner !== "CronJob/zonewarden-audit",
          enableServiceLinks: false,
        });
      }
    });

    it("runs every container under the restricted profile, with a bound on memory", async ({
      expect,
    }) => {
      for (const pod of podsIn(await read())) {
        expect(pod.spec["securityContext"]).toMatchObject({
          runAsNonRoot: true,
          fsGroup: 65_532,
          seccompProfile: { type: "RuntimeDefault" },
        });
        for (const container of containersOf(pod)) {
          expect(container["securityContext"]).toMatchObject({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            runAsNonRoot: true,
            capabilities: { drop: ["ALL"] },
            seccompProfile: { type: "RuntimeDefault" },
          });
          const resources = objectAt(container, "resources");
          expect(Object.keys(objectAt(resources, "requests"))).toEqual(["cpu", "memory"]);
          expect(Object.keys(objectAt(resources, "limits"))).toEqual(["memory"]);
        }
      }
    });

    it("names images by a version or a digest", async ({ expect }) => {
      for (const container of podsIn(await read()).flatMap(containersOf)) {
        const image = textAt(container, "image");
        expect(image).toMatch(
          /^[\w.-]+\.[\w.-]+\/[\w./-]+(:v?\d+\.\d+\.\d+|@sha256:[0-9a-f]{64})$/,
        );
      }
    });

    it("mounts whole directories, none within another, of volumes that are there", async ({
      expect,
    }) => {
      const objects = await read();
      for (const pod of podsIn(objects)) {
        const volumes = objectsIn(pod.spec["volumes"]);
        expect(volumes.flatMap((volume) => missingMap(volume, objects))).toEqual([]);
        for (const container of containersOf(pod)) {
          const mounts = objectsIn(container["volumeMounts"]);
          expect(mounts.filter((mount) => "subPath" in mount || "subPathExpr" in mount)).toEqual(
            [],
          );
          const names = volumes.map(({ name }) => name);
          expect(mounts.filter(({ name }) => !names.includes(name ?? null))).toEqual([]);
          const paths = mounts.map((mount) => `${textAt(mount, "mountPath")}/`);
          expect(
            paths.filter((at) => paths.some((other) => at !== other && at.startsWith(other))),
          ).toEqual([]);
        }
      }
    });

    it("names the maps that a running pod reads anew without a hash: their change is no rollout", async ({
      expect,
    }) => {
      const objects = await read();
      const [daemon] = podsIn(objects);
      const maps = objectsIn(daemon?.spec["volumes"]).flatMap((volume) =>
        "configMap" in volume ? [textAt(objectAt(volume, "configMap"), "name")] : [],
      );
      expect(maps).toContain("zonewarden-config");
      expect(
        maps.filter((map) => !["zonewarden-config", "zonewarden-zones"].includes(map)),
      ).toEqual([]);
    });

    it("takes the token from a Secret that it only names, readable to the group alone", async ({
      expect,
    }) => {
      const objects = await read();
      // The copy of a store sends no request to the service.
      const senders = podsIn(objects).filter(({ owner }) => !owner.startsWith("Job/"));
      for (const pod of senders) {
        const token = objectsIn(pod.spec["volumes"]).find(({ name }) => name === "token");
        expect(token).toEqual({
          name: "token",
          secret: { secretName: "zonewarden-token", defaultMode: 0o440 },
        });
        const [container] = objectsIn(pod.spec["containers"]);
        // The environment is for what everybody may read.
        expect(JSON.stringify(container?.["env"] ?? [])).not.toMatch(/secret|token/i);
      }
    });

    it("selects by every selector the daemon's pod, and by no Service the audit's", async ({
      expect,
    }) => {
      const objects = await read();
      const pods = podsIn(objects);
      for (const object of objects) {
        const selector = selectorOf(object);
        if (selector === undefined) continue;
        const selected = pods.filter((pod) => fits(pod, selector)).map(({ owner }) => owner);
        const all =
          object["kind"] === "NetworkPolicy"
            ? pods.map(({ owner }) => owner)
            : ["StatefulSet/zonewarden"];
        expect(selected, nameOf(object)).toEqual(all);
      }
    });

    it("speaks of ports by the names that the containers give them", async ({ expect }) => {
      const objects = await read();
      const named = podsIn(objects)
        .flatMap(containersOf)
        .flatMap((container) => objectsIn(container["ports"]).map((port) => textAt(port, "name")));
      expect(named).toContain("http");
      const wanted = [
        ...JSON.stringify(objects.filter(({ kind }) => kind !== "ConfigMap")).matchAll(
          /"(?:port|targetPort)":"([^"]+)"/g,
        ),
      ];
      expect(named).toEqual(expect.arrayContaining(wanted.map(([, port]) => port)));
    });
  });
}

describe("the check for unknown keys", () => {
  it("finds none in any situation", async ({ expect }) => {
    const all = situations.filter(({ without }) => without === undefined);
    const objects = await Promise.all(all.map(({ read }) => read()));
    expect(await unknownKeysIn(objects.flat())).toBe("");
  });

  it("finds a misspelt one, however deep", async ({ expect }) => {
    const pod = { containers: [{ name: "a", securityContext: { readOnlyRootFileSystem: true } }] };
    const found = await unknownKeysIn([
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "a", namespace: "b" },
        spec: { selector: {}, template: { spec: pod } },
      },
    ]);
    expect(found).toContain("readOnlyRootFileSystem");
  });
});

describe.skipIf(noComponents)(
  `a part of a kustomization in the documentation ${noComponents ?? ""}`,
  () => {
    const parts = codeBlocksOf("docs/kubernetes.md")
      .filter(({ text }) => text.startsWith("# kustomization.yaml") && !text.includes("files:"))
      .map(({ place, text }) => ({ place, more: coerceObject(parse(text)) }));

    it.for(parts)("changes `ha` with components: $place", async ({ more }, { expect }) => {
      const own = { of: "overlays/ha", components: ["monitoring", "git-sync"] };
      expect(await renderOwn({ ...own, more })).not.toEqual(await renderOwn(own));
    });
  },
);

describe.skipIf(noComponents)(`the job that copies the store ${noComponents ?? ""}`, () => {
  it("takes it from the volume of the default, while no replica of ha runs", async ({ expect }) => {
    const objects = await renderOwn({ of: "overlays/ha", components: ["store-copy"] });
    const ofDefault = await render("overlays/default");
    const claims = [...podsIn(ofDefault), ...podsIn(objects)].flatMap(({ owner, spec }) =>
      objectsIn(spec["volumes"])
        .filter(({ name }) => name === "store")
        .map((volume) => [owner, volume["persistentVolumeClaim"]]),
    );
    const claim = { claimName: "store-zonewarden-0" };
    expect(claims).toEqual([
      ["StatefulSet/zonewarden", claim],
      ["Job/zonewarden-store-copy", claim],
    ]);
    expect(objects.find(({ kind }) => kind === "StatefulSet")).toMatchObject({
      spec: { replicas: 0 },
    });
  });
});

describe.skipIf(noKubectl)(`the daemon's pod ${noKubectl ?? ""}`, () => {
  it("is started, alive and ready by the endpoints made for that", async ({ expect }) => {
    const [pod] = podsIn(await render("base"));
    const [container] = objectsIn(pod?.spec["containers"]);
    expect(container).toMatchObject({
      startupProbe: { httpGet: { path: "/livez", port: "http" } },
      livenessProbe: { httpGet: { path: "/livez", port: "http" } },
      readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
    });
  });

  it("is given more time to end than the program takes", async ({ expect }) => {
    const [pod] = podsIn(await render("base"));
    const given = Number(pod?.spec["terminationGracePeriodSeconds"]) * 1_000;
    expect(given).toBeGreaterThan(graceMs + notifyGraceMs + 10_000);
  });

  it("is of this version", async ({ expect }) => {
    const [pod] = podsIn(await render("base"));
    const [container] = objectsIn(pod?.spec["containers"]);
    expect(container?.["image"]).toBe(`ghcr.io/zonewarden/zonewarden:${version}`);
  });
});

describe.skipIf(noComponents)(`the scrape ${noComponents ?? ""}`, () => {
  it("pushes no label of the metrics aside", async ({ expect }) => {
    const [monitor] = (await render("overlays/monitored")).filter(
      ({ kind }) => kind === "ServiceMonitor",
    );
    const [endpoint] = objectsIn(objectAt(monitor ?? {}, "spec")["endpoints"]);
    const dropped = objectsIn(endpoint?.["relabelings"])
      .filter(({ action }) => action === "labeldrop")
      .map(({ regex }) => regex);
    const ours = Object.values(metricTable).flatMap(({ labels }) => Object.keys(labels));
    expect(targetLabels.filter((label) => ours.includes(label))).toEqual(dropped);
  });

  it("is called zonewarden, as the rules expect", async ({ expect }) => {
    const objects = await render("overlays/monitored");
    const [monitor] = objects.filter(({ kind }) => kind === "ServiceMonitor");
    const [service] = objects.filter(({ kind }) => kind === "Service");
    const jobLabel = textAt(objectAt(monitor ?? {}, "spec"), "jobLabel");
    expect(objectAt(objectAt(service ?? {}, "metadata"), "labels")[jobLabel]).toBe("zonewarden");
  });

  it("comes with the dashboards, found by their label", async ({ expect }) => {
    const maps = (await render("overlays/monitored")).filter(
      (object) => "grafana_dashboard" in objectAt(objectAt(object, "metadata"), "labels"),
    );
    expect(maps.map(nameOf)).toEqual([
      "ConfigMap/zonewarden-dashboard-fleet",
      "ConfigMap/zonewarden-dashboard-operations",
      "ConfigMap/zonewarden-dashboard-zone",
    ]);
  });
});

/** A volume of a ConfigMap that is not among the manifests. */
function missingMap(volume: JsonObject, objects: readonly JsonObject[]): readonly string[] {
  const name = textAt(objectAt(volume, "configMap"), "name");
  return name === "" || objects.some((object) => nameOf(object) === `ConfigMap/${name}`)
    ? []
    : [name];
}

function selectorOf(object: JsonObject): JsonObject | undefined {
  const spec = objectAt(object, "spec");
  switch (textAt(object, "kind")) {
    case "Service":
      return objectAt(spec, "selector");
    case "StatefulSet":
    case "PodDisruptionBudget":
      return objectAt(objectAt(spec, "selector"), "matchLabels");
    case "NetworkPolicy":
      return objectAt(objectAt(spec, "podSelector"), "matchLabels");
    case "ServiceMonitor":
      return objectAt(objectAt(spec, "selector"), "matchLabels");
    default:
      return undefined;
  }
}

function fits({ labels }: Pod, selector: JsonObject): boolean {
  return Object.entries(selector).every(([label, value]) => labels[label] === value);
}
