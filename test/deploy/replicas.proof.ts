import { describe, it } from "vitest";
import { parse } from "yaml";

import { isJsonObject, type JsonObject } from "../../src/syntax/json.ts";
import { containersOf, nameOf, podsIn, render, renderOwn } from "./manifests.ts";
import { objectAt, objectsIn, textAt } from "./rules.ts";
import { noComponents } from "./tools.ts";

/** `zonewarden.yaml` of the daemon. */
function configIn(objects: readonly JsonObject[]): JsonObject {
  const map = objects.find((object) => nameOf(object) === "ConfigMap/zonewarden-config");
  const config: unknown = parse(textAt(objectAt(map ?? {}, "data"), "zonewarden.yaml"));
  return isJsonObject(config) ? config : {};
}

function specOf(objects: readonly JsonObject[], name: string): JsonObject {
  return objectAt(objects.find((object) => nameOf(object) === name) ?? {}, "spec");
}

/** Where the daemon finds what, by the names of its mounts. */
function mountsIn(objects: readonly JsonObject[]): Readonly<Record<string, string>> {
  const [pod] = podsIn(objects).filter(({ owner }) => owner === "StatefulSet/zonewarden");
  const daemon = pod && containersOf(pod).find(({ name }) => name === "zonewarden");
  const mounts = objectsIn(daemon?.["volumeMounts"]);
  return Object.fromEntries(mounts.map((m) => [textAt(m, "name"), textAt(m, "mountPath")]));
}

const overlays = ["default", "ha", "monitored", "git-sync", "emulator"];

const events = { resources: ["events"], verbs: ["create"] };

describe.skipIf(noComponents)(`the Role ${noComponents ?? ""}`, () => {
  it.for(overlays)(
    "of %s gives the right to write Events, and of an election those to its Lease",
    async (overlay, { expect }) => {
      const objects = await render(`overlays/${overlay}`);
      const lease = textAt(objectAt(configIn(objects), "cluster"), "lease");
      const election = [
        { resources: ["leases"], verbs: ["create"] },
        { resources: ["leases"], resourceNames: [lease], verbs: ["get", "update"] },
      ];
      const rules = objects
        .filter(({ kind }) => kind === "Role")
        .flatMap(({ rules: all }) => objectsIn(all))
        .map(({ apiGroups: _groups, ...rule }) => rule);
      expect(rules).toEqual([events, ...(lease === "" ? [] : election)]);
      expect(lease === "").toBe(overlay !== "ha");
    },
  );

  it.for(["default", "ha"])(
    "of %s belongs to the account of the namespace that you choose",
    async (overlay, { expect }) => {
      const objects = await renderOwn({ of: `overlays/${overlay}`, namespace: "security" });
      const namespaces = objects.map((object) => objectAt(object, "metadata")["namespace"]);
      expect(new Set(namespaces)).toEqual(new Set([undefined, "security"]));
      const [binding] = objects.filter(({ kind }) => kind === "RoleBinding");
      expect(binding?.["subjects"]).toEqual([
        { kind: "ServiceAccount", name: "zonewarden", namespace: "security" },
      ]);
    },
  );
});

describe.skipIf(noComponents)(`one replica ${noComponents ?? ""}`, () => {
  it("keeps its store on a volume that no second pod can use", async ({ expect }) => {
    const objects = await render("overlays/default");
    const spec = specOf(objects, "StatefulSet/zonewarden");
    expect(spec["replicas"]).toBe(1);
    expect(spec["volumeClaimTemplates"]).toMatchObject([
      { metadata: { name: "store" }, spec: { accessModes: ["ReadWriteOncePod"] } },
    ]);
    expect(mountsIn(objects)["store"]).toBe("/var/lib/zonewarden");
    expect(configIn(objects)["store"]).toEqual({ path: "/var/lib/zonewarden" });
  });

  it("names its pod to the daemon: Events are about it", async ({ expect }) => {
    const [pod] = podsIn(await render("overlays/default"));
    expect(pod && containersOf(pod)[0]?.["env"]).toEqual([
      { name: "ZONEWARDEN_CONFIG", value: "/etc/zonewarden/zonewarden.yaml" },
      { name: "ZONEWARDEN_POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "ZONEWARDEN_POD_UID", valueFrom: { fieldRef: { fieldPath: "metadata.uid" } } },
    ]);
  });
});

describe.skipIf(noComponents)(`two replicas ${noComponents ?? ""}`, () => {
  it("share a database, on two nodes if there are two, and a drain moves one at a time", async ({
    expect,
  }) => {
    const objects = await render("overlays/ha");
    const spec = specOf(objects, "StatefulSet/zonewarden");
    expect(spec).toMatchObject({
      replicas: 2,
      template: {
        spec: { topologySpreadConstraints: [{ topologyKey: "kubernetes.io/hostname" }] },
      },
    });
    expect(spec).not.toHaveProperty("volumeClaimTemplates");
    expect(Object.keys(mountsIn(objects))).not.toContain("store");
    expect(configIn(objects)["store"]).toEqual({
      postgres: { url_file: `${mountsIn(objects)["postgres"]}/url` },
    });
    expect(JSON.stringify(specOf(objects, "NetworkPolicy/zonewarden"))).toContain("5432");
    // In this order: Kubernetes replaces in a value only what is above it.
    const [pod] = podsIn(objects);
    expect((pod && objectsIn(containersOf(pod)[0]?.["env"]))?.slice(0, 2)).toEqual([
      { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      { name: "ZONEWARDEN_PAGE_URL", value: "http://$(POD_IP):9464/" },
    ]);
    expect(specOf(objects, "PodDisruptionBudget/zonewarden")).toMatchObject({
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: "AlwaysAllow",
    });
  });
});

describe.skipIf(noComponents)(`the components ${noComponents ?? ""}`, () => {
  it.for(["default", "ha", "emulator"])(
    "leave the configuration of %s as it is, in any order",
    async (overlay, { expect }) => {
      const config = configIn(await render(`overlays/${overlay}`));
      const components = ["git-sync", "monitoring"];
      for (const each of [components, components.toReversed()]) {
        const objects = await renderOwn({ of: `overlays/${overlay}`, components: each });
        expect(configIn(objects)).toEqual(config);
        // The zone files are where the configuration looks, from Git too.
        expect(`${mountsIn(objects)["zones"]}/current/zones`).toBe(
          objectAt(config, "desired")["path"],
        );
      }
    },
  );

  it("give the audit job the database, where there is one", async ({ expect }) => {
    const objects = await renderOwn({ of: "overlays/ha", components: ["cronjob"] });
    const [job] = podsIn(objects).filter(({ owner }) => owner === "CronJob/zonewarden-audit");
    const text = JSON.stringify(job?.spec);
    expect(text).toContain(`"mountPath":"${mountsIn(objects)["postgres"]}"`);
    expect(text).toContain('"optional":true');
  });
});
