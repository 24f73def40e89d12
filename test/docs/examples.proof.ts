import { describe, it } from "vitest";

import { type CodeBlock, codeBlocksOf, documents, documentText } from "../support/code-blocks.ts";
import { mistakesInYaml } from "./example-checks.ts";
import { ExampleShell } from "./example-shell.ts";

const blocks = documents.flatMap((file) => codeBlocksOf(file));
const examples = blocks.filter(({ reason, isGenerated }) => reason === "" && !isGenerated);

/** The addresses of the emulator and the daemon that the text of a document names. */
function addressesIn(file: string): readonly string[] {
  const found = documentText(file).match(/(?<=<)http:\/\/127\.0\.0\.1:[^>]+(?=>)/g);
  return found ?? [];
}

describe("the examples in the documents", () => {
  it("are all run, but for these", ({ expect }) => {
    const skipped = blocks.filter(({ reason }) => reason !== "");
    expect(skipped.map(({ place, reason }) => `${place.replace(/:\d+$/, "")}: ${reason}`)).toEqual([
      "deploy/RELEASING.md: needs a release",
      "docs/architecture.md: a diagram",
    ]);
  });

  it("are scripts, YAML or queries (test/deploy); what the program prints is generated", ({
    expect,
  }) => {
    const others = examples.filter(({ language }) => !["sh", "yaml", "promql"].includes(language));
    expect(others.map(({ place }) => place)).toEqual([]);
  });

  it.for(examplesIn("yaml"))("$place is a valid file", async ({ text }, { expect }) => {
    expect(await mistakesInYaml(text)).toEqual([]);
  });

  // The blocks of these are one script: quick-start.proof.ts, account-walk.proof.ts and evidence-walk.proof.ts run it.
  const walks = ["docs/quick-start.md", "docs/real-account.md", "docs/evidence.md"];
  const scripts = examplesIn("sh").filter(
    ({ place }) => !walks.some((file) => place.startsWith(file)),
  );

  it.for(scripts)("$place runs", async ({ text, config }, { expect }) => {
    await using shell = await ExampleShell.start(config);
    expect(await shell.run(text)).toEqual([]);
  });
});

describe("the addresses in the documents", () => {
  it("answer, and are endpoints that exist", async ({ expect }) => {
    await using shell = await ExampleShell.start("measurements: {}");
    const endpoints = [
      ...documentText("docs/operations.md").matchAll(/^\| GET \| (`\/[^|]+`) \|/gm),
    ].flatMap(([, paths = ""]) => [...paths.matchAll(/`([^`]+)`/g)].map(([, each = ""]) => each));
    const addresses = [
      ...documents.flatMap(addressesIn),
      ...endpoints.map(
        (each) => `http://127.0.0.1:9464${each.replace("{name}", "shop.example.com")}`,
      ),
    ];
    expect(endpoints.length).toBeGreaterThan(10);
    const dead: string[] = [];
    for (const address of addresses) {
      const answer = await fetch(await shell.realUrl(address));
      if (!answer.ok) dead.push(`${address}: ${answer.status}`);
      await answer.body?.cancel();
    }
    expect(dead).toEqual([]);
  });
});

function examplesIn(language: string): readonly CodeBlock[] {
  return examples.filter((block) => block.language === language);
}

describe("an example that is wrong", () => {
  it.for([
    "zonewarden plans",
    "zonewarden plan --markdown",
    "zonewarden plan --format markdown",
    "zonewarden validate # exits with 3",
    "zonewarden plan --format json | jq .total",
    "curl -s http://127.0.0.1:9464/metrics | grep '^zonewarden_no_such_metric'",
    "curl https://example.com/",
    "zonewarden rulesets show shop.example.com nothing",
    "curl http://127.0.0.1:9464/problems",
    'curl http://127.0.0.1:8787/_emulator/edit --json \'{"zone": "other.example"}\'',
    "kubectl -n other apply -k .",
    "kubectl create namespace other",
    "kubectl -n zonewarden create secret generic other --from-file=token=./token",
    "kubectl -n zonewarden port-forward zonewarden-0 8080",
    "kubectl -n zonewarden exec zonewarden-0 -- /bin/sh",
    "docker build -f deploy/Dockerfile --build-arg COLOR=red .",
    "helm -n zonewarden install zonewarden ../zonewarden/deploy/nothing",
    "helm -n zonewarden upgrade zonewarden ../zonewarden/deploy/chart --set zone=shop",
    "npm run nothing",
    "npx vitest run test/nothing",
    "terraform apply",
    "terraform state rm cloudflare_zone.shop",
  ])("is noticed: %s", async (script, { expect }) => {
    await using shell = await ExampleShell.start("");
    expect(await shell.run(script)).toHaveLength(1);
  });

  it.for([
    "zones:\n  - name: shop.example.com\n    page_sheild: {}\n",
    "mode: watch\n",
    "mode: enforce\nlimits: { max_delete: 0.3 }\n",
    "# kustomization.yaml\nconfigMapGenerator: [{ name: other }]\n",
    "# kustomization.yaml\nresources: ['https://github.com/a/b//deploy/nothing?ref=v1']\n",
    "# kustomization.yaml\npatches: [{ target: { kind: Pod, name: a }, patch: '[{ op: remove }]' }]\n",
    "# values.yaml\nreplica: 3\n",
    "include: [{ remote: 'https://raw.githubusercontent.com/zonewarden/zonewarden/v0.1.0/deploy/nothing.yml' }]\n",
    "repos: [{ repo: 'https://github.com/zonewarden/zonewarden', hooks: [{ id: nothing }] }]\n",
    "inhibit_rules: [{ source_matchers: ['alertname=\"ZonewardenNothing\"'] }]\n",
  ])("is noticed: %j", async (text, { expect }) => {
    expect(await mistakesInYaml(text)).not.toEqual([]);
  });
});
