import { describe, it } from "vitest";
import { parse } from "yaml";

import { stateMapNames } from "../../src/memory/config-maps/state-maps.ts";
import { isJsonObject, type JsonObject } from "../../src/syntax/json.ts";
import { containersOf, nameOf, podsIn, render } from "./manifests.ts";
import { objectAt, objectsIn, textAt } from "./rules.ts";
import { noComponents, noKubectl } from "./tools.ts";

/** `zonewarden.yaml` of the daemon. */
function configIn(objects: readonly JsonObject[]): JsonObject {
  const map = objects.find((object) => nameOf(object) === "ConfigMap/zonewarden-config");
  const config: unknown = parse(textAt(objectAt(map ?? {}, "data"), "zonewarden.yaml"));
  return isJsonObject(config) ? config : {};
}

const overlays = ["ha", "single", "monitored", "git-sync"];

/** The rights that a configuration needs: resource, names and verbs. */
function rightsFor(config: JsonObject): readonly JsonObject[] {
  const cluster = objectAt(config, "cluster");
  const lease = textAt(cluster, "lease");
  const verbs = ["get", "update"];
  const create = { verbs: ["create"] };
  return [
    { resources: ["leases"], ...create },
    { resources: ["leases"], resourceNames: [lease], verbs },
    { resources: ["configmaps"], ...create },
    { resources: ["configmaps"], resourceNames: stateMapNames(`${lease}-state`), verbs },
    { resources: ["events"], ...create },
  ];
}

describe.skipIf(noComponents)(`the Role ${noComponents ?? ""}`, () => {
  it.for(overlays)(
    "of %s names the Lease of the configuration and the ConfigMaps of its state",
    async (overlay, { expect }) => {
      const objects = await render(`overlays/${overlay}`);
      const config = configIn(objects);
      const roles = objects.filter(({ kind }) => kind === "Role");
      expect(roles).toHaveLength(config["cluster"] === undefined ? 0 : 1);
      const rules = roles.flatMap(({ rules: all }) => objectsIn(all));
      const granted = rules.map(({ apiGroups: _groups, ...rule }) => rule);
      expect(granted).toEqual(roles.flatMap(() => rightsFor(config)));
    },
  );
});

describe.skipIf(noComponents)(`the address of the status page ${noComponents ?? ""}`, () => {
  it.for(overlays)(
    "of %s is that of the pod, where there is an election",
    async (overlay, { expect }) => {
      const objects = await render(`overlays/${overlay}`);
      const [pod] = podsIn(objects).filter(({ owner }) => owner === "Deployment/zonewarden");
      const daemon = pod && containersOf(pod).find(({ name }) => name === "zonewarden");
      const port = textAt(objectAt(configIn(objects), "server"), "listen").replace(/^.*:/, "");
      // In this order: Kubernetes replaces in a value only what is above it.
      const wanted = [
        { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
        { name: "ZONEWARDEN_PAGE_URL", value: `http://$(POD_IP):${port}/` },
      ];
      expect(daemon?.["env"]).toEqual(
        configIn(objects)["cluster"] === undefined ? undefined : wanted,
      );
    },
  );
});

describe.skipIf(noComponents)(`the overlay single ${noComponents ?? ""}`, () => {
  it("has one replica, and never two at once", async ({ expect }) => {
    const objects = await render("overlays/single");
    const [deployment] = objects.filter(({ kind }) => kind === "Deployment");
    expect(objectAt(deployment ?? {}, "spec")).toMatchObject({
      replicas: 1,
      strategy: { type: "Recreate" },
    });
    expect(JSON.stringify(deployment)).not.toContain("rollingUpdate");
    expect(objects.map(nameOf)).not.toContain("PodDisruptionBudget/zonewarden");
    expect(objectAt(configIn(objects), "state")).toEqual({ path: "/var/lib/zonewarden/state" });
  });
});

describe.skipIf(noKubectl)(`the replicas ${noKubectl ?? ""}`, () => {
  it("is there twice, on two nodes where there are two, and an update keeps both", async ({
    expect,
  }) => {
    const objects = await render("base");
    const [deployment] = objects.filter(({ kind }) => kind === "Deployment");
    expect(deployment).toMatchObject({
      spec: {
        replicas: 2,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: {
          spec: { topologySpreadConstraints: [{ topologyKey: "kubernetes.io/hostname" }] },
        },
      },
    });
    const [budget] = objects.filter(({ kind }) => kind === "PodDisruptionBudget");
    expect(budget).toMatchObject({
      spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" },
    });
  });
});
