import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { loadConfig } from "../../src/desired/config/load-config.ts";
import { nodeFiles } from "../../src/desired/file-system.ts";
import { cronError } from "../../src/reconcile/schedule/schedule.ts";
import { coerceTexts } from "../../src/syntax/json.ts";
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
    const manifest = readFileSync(path.join(deploy, "kustomize/base/statefulset.yaml"), "utf8");
    const [, args = ""] = /args:\n +- (\w+)\n +env:/.exec(manifest) ?? [];
    const [, config = ""] = /name: ZONEWARDEN_CONFIG\n +value: (.+)/.exec(manifest) ?? [];
    expect([args, "--config", config]).toEqual(JSON.parse(command));
  });

  it("has the program under its name, for `kubectl exec`", ({ expect }) => {
    const [, entrypoint = "[]"] = /^ENTRYPOINT (.+)$/m.exec(recipe) ?? [];
    const [node, main] = coerceTexts(JSON.parse(entrypoint));
    expect(recipe).toContain(`printf '#!${node}\\nimport("${main}");\\n' > zonewarden`);
    expect(recipe).toMatch(
      /^COPY --from=builder \/build\/zonewarden \/usr\/local\/bin\/zonewarden$/m,
    );
  });
});

describe("the configuration in the pod", () => {
  it.for([
    { file: "base/zonewarden.yaml", store: { path: "/var/lib/zonewarden" } },
    {
      file: "overlays/ha/zonewarden.yaml",
      store: {
        postgres: { url: { file: "/var/run/secrets/postgres/url" }, schema: "zonewarden" },
      },
    },
  ])("$file is in order and fits the mounts", async ({ file, store }, { expect, signal }) => {
    const { config, diagnostics } = await loadConfig(
      path.join(deploy, "kustomize", file),
      { files: nodeFiles, cronError },
      signal,
    );
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({
      mode: "observe",
      desired: { path: "/zones/current/zones" },
      store,
      server: { listen: { host: "0.0.0.0", port: 9464 } },
    });
    expect(JSON.stringify(config?.credentials)).toContain("/var/run/secrets/zonewarden/token");
  });
});
