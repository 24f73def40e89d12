import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { loadConfig } from "../../src/desired/config/load-config.ts";
import { nodeFiles } from "../../src/desired/file-system.ts";
import { cronError } from "../../src/reconcile/schedule/schedule.ts";
import { deploy, root } from "./paths.ts";

const recipe = readFileSync(path.join(deploy, "Dockerfile"), "utf8").replaceAll("\\\n", " ");
const ignored = readFileSync(path.join(deploy, "Dockerfile.dockerignore"), "utf8");

/** What the recipe takes from the checkout; what it takes from its own first stage is not among it. */
const copied = [...recipe.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = ""]) =>
  sources.split(" "),
);

describe("the image", () => {
  it("is made of files that are there", ({ expect }) => {
    expect(copied).toContain("schemas");
    expect(copied.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it("is sent to the builder with what it is made of and nothing else", ({ expect }) => {
    const sent = [...ignored.matchAll(/^!(.+)$/gm)].map(([, file]) => file);
    expect(ignored).toMatch(/^\*$/m);
    expect(new Set(sent)).toEqual(new Set(copied));
  });

  it("runs as a user who is not root, by number, on a base without a shell", ({ expect }) => {
    expect(recipe).toMatch(/^ARG RUNTIME=gcr\.io\/distroless\/nodejs24-debian13:nonroot$/m);
    expect(recipe).toMatch(/^USER 65532:65532$/m);
    expect(recipe).not.toContain(":latest");
  });

  it("lets the program say of which commit it is", ({ expect }) => {
    expect(recipe).toMatch(/^ARG REVISION=/m);
    expect(recipe).toMatch(/^ENV .*\bZONEWARDEN_REVISION="\$\{REVISION\}"/m);
  });

  it("starts the program as the manifests do", ({ expect }) => {
    const [, command = "[]"] = /^CMD (.+)$/m.exec(recipe) ?? [];
    const manifest = readFileSync(path.join(deploy, "kustomize/base/deployment.yaml"), "utf8");
    const [, args = ""] = /args:\n((?: +- .+\n)+)/.exec(manifest) ?? [];
    expect(
      args
        .split(/\s+- |\n/)
        .filter((word) => word.trim() !== "")
        .map((word) => word.trim()),
    ).toEqual(JSON.parse(command));
  });
});

describe("the configuration in the pod", () => {
  it.for([
    { file: "base/zonewarden.yaml", zones: "/zones" },
    { file: "components/git-sync/zonewarden.yaml", zones: "/zones/current/zones" },
  ])("$file is in order and fits the mounts", async ({ file, zones }, { expect, signal }) => {
    const { config, diagnostics } = await loadConfig(
      path.join(deploy, "kustomize", file),
      { files: nodeFiles, cronError },
      signal,
    );
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({
      mode: "observe",
      desired: { path: zones },
      server: { listen: { host: "0.0.0.0", port: 9464 } },
    });
    expect(JSON.stringify(config?.credentials)).toContain("/var/run/secrets/zonewarden/token");
  });
});
