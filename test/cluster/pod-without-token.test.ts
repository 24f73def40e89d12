import { describe, it } from "vitest";

import { kubernetesOf } from "../../src/cli/session/shared-store.ts";
import { hostIn } from "../support/command-line.ts";
import { configFrom } from "../support/config-from.ts";

/** A pod of the manifests, on whose machine no account of Kubernetes is mounted. */
const env = {
  KUBERNETES_SERVICE_HOST: "10.0.0.1",
  ZONEWARDEN_POD_NAME: "zonewarden-0",
  ZONEWARDEN_POD_UID: "0000",
};

describe("a pod without a token of its account", () => {
  it("writes no Events, and works", async ({ expect }) => {
    const config = await configFrom("mode: observe\n");
    expect(await kubernetesOf(config, hostIn("/", { env }))).toBeUndefined();
  });
});
