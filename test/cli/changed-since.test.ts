import { createServer } from "node:net";

import { describe, it, vi } from "vitest";

import { commitFiles, exampleRepository, zonesRead } from "../support/example-repository.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { namesOfFleet, policiesOf, seedOfPolicies } from "../support/large-fleet.ts";
import { close, listenOnLoopback } from "../support/loopback.ts";
import { plantedToken } from "../support/service.ts";

describe("plan --changed-since", () => {
  it("reads only zones whose declaration differs from the revision", async ({ expect }) => {
    await using example = await exampleRepository();
    const { place } = example;
    const none = await place.run("plan", "--changed-since", "main");
    expect(none.stderr).toMatch(/^0 zones of 3 changed since [0-9a-f]{12}\n/);
    expect(none.code).toBe(0);
    expect(zonesRead(example)).toBe(0);

    const shop = await place.read("zones/shop.yaml");
    await place.write("zones/shop.yaml", `# A comment changes nothing.\n${shop}`);
    const [file, text] = ["zones/new.yaml", "zones:\n  - name: nowhere.example.com\n"];
    await place.write(file, text);
    const added = await place.run("plan", "--changed-since", "HEAD");
    expect(added.stderr).toMatch(/^1 zone of 4 changed since /m);
    expect(added.stdout).toContain("nowhere.example.com");
    await place.remove(file);

    await place.write("zones/shop.yaml", shop.replace("action: allow", "action: log"));
    const changed = await place.run("plan", "--changed-since", "main");
    expect(changed.stderr).toMatch(/^1 zone of 3 changed since /m);
    expect(changed.stdout).toContain("shop.example.com");
    expect(zonesRead(example)).toBe(1);
  });

  it.for([
    { reference: "nothing-like-it", says: 'the repository has no revision "nothing-like-it"' },
    { reference: "--output=x", says: '"--output=x" is not a Git revision' },
  ])("says what is missing: $reference", async ({ reference, says }, { expect }) => {
    await using example = await exampleRepository();
    const { code, stderr } = await example.place.run("plan", `--changed-since=${reference}`);
    expect(stderr).toContain(says);
    expect(code).toBe(1);
    expect(zonesRead(example)).toBe(0);
  });

  it("reads the same files in a hook of Git, which names the repository", async ({ expect }) => {
    await using example = await exampleRepository();
    // Git sets it for the hooks of a linked worktree.
    vi.stubEnv("GIT_DIR", `${example.place.directory}/.git`);
    try {
      const { code, stderr } = await example.place.run("plan", "--changed-since", "main");
      expect(stderr).toMatch(/^0 zones of 3 changed since /m);
      expect(stderr).not.toContain("have errors");
      expect(code).toBe(0);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("connects to no database: a pull request is checked where none can be reached", async ({
    expect,
  }) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const port = await listenOnLoopback(server);
    await using example = await exampleRepository();
    const { place } = example;
    const config = await place.read("zonewarden.yaml");
    await place.write("zonewarden.yaml", `${config}\nstore: { postgres: { url_file: url } }\n`);
    await place.write("url", `postgres://u:p@127.0.0.1:${port}/db`);
    const { stderr, code } = await place.run("plan", "--changed-since", "main");
    expect(connections).toBe(0);
    expect(stderr).toContain("--changed-since reads no database. Not known are: the causes");
    expect(code).toBe(0);
    // Without it, the database is asked.
    expect((await place.run("plan")).stderr).toContain("cannot be used: the database");
    expect(connections).toBeGreaterThan(0);
    await close(server);
  });

  it("shows in the comment what the files no longer declare, without a state", async ({
    expect,
  }) => {
    await using example = await exampleRepository();
    const { place } = example;
    const sites = await place.read("zones/sites.yaml");
    const [first = "", brand = ""] = sites.split(/(?=^ {2}- name: www)/m);
    await place.write(
      "zones/sites.yaml",
      first.slice(0, first.indexOf("zones:")) + "zones:\n" + brand,
    );
    await place.write(
      "zones/shop.yaml",
      "zones:\n  - { name: shop.example.com, page_shield: { settings: { enabled: true } } }\n",
    );
    const { stdout, code } = await place.run(
      "plan",
      "--changed-since",
      "main",
      "--format",
      "markdown",
    );
    const review = stdout.slice(stdout.indexOf("### Review first"));
    expect(review).toContain(
      "- blog.example.com: **no longer declared**: it stays as it is, and nothing corrects it\n",
    );
    expect(review).toContain(
      "- shop.example.com: **no longer managed**: the policies checkout, everywhere are no longer declared",
    );
    expect(review).toContain(
      "- shop.example.com: **no longer managed**: the managed rules health-checks, owasp are no longer declared",
    );
    expect(review).not.toContain("- www.brand.example");
    expect(code).toBe(0);
  });

  it("says that there is no repository", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { code, stderr } = await example.place.run("plan", "--changed-since", "main");
    expect(stderr).toContain(
      "error: --changed-since main: not a Git repository: no directory around ",
    );
    expect(code).toBe(1);
  });
});

describe("plan --changed-since in a large fleet", () => {
  it.for([
    { what: "changes 5 of 12", changed: 5, dropped: 0, held: "changes 5 and drops 0 of 12 zones" },
    { what: "drops 4 of 12", changed: 0, dropped: 4, held: "changes 0 and drops 4 of 12 zones" },
    { what: "changes 2 and drops 1", changed: 2, dropped: 1, held: "" },
  ])("shows the hold of the daemon: $what", async ({ changed, dropped, held }, { expect }) => {
    const names = namesOfFleet(12);
    await using example = await exampleWithEmulator({
      seed: seedOfPolicies(names),
      ports: { env: { ZONEWARDEN_API_TOKEN: plantedToken } },
    });
    const { place } = example;
    await place.remove("zones");
    await place.write("zones/fleet.yaml", policiesOf(names));
    commitFiles(place.directory);
    const stronger = policiesOf(names.slice(0, changed)).replaceAll("log", "allow");
    const rest = policiesOf(names.slice(changed, 12 - dropped)).replace("zones:\n", "");
    await place.write("zones/fleet.yaml", `${changed === 0 ? "zones:\n" : stronger}${rest}`);
    const planned = await place.run("plan", "--changed-since", "main", "--format", "markdown");
    expect(planned.code, planned.stderr).toBe(held === "" ? 2 : 4);
    expect(planned.stdout).toContain(held);
    expect(planned.stdout.includes("`limits.max_fleet_share`")).toBe(held !== "");
    expect(/--accept sha256-[0-9a-f]{64}\b/.test(planned.stdout)).toBe(held !== "");
  });
});

describe("plan --paths", () => {
  it("plans zones that come from these files, through profiles too", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const one = await example.place.run("plan", "--paths", "zones/shop.yaml");
    expect([0, 2]).toContain(one.code);
    expect(zonesRead(example)).toBe(1);
    const unknown = await example.place.run("plan", "--paths", "zones/nothing.yaml");
    expect(unknown.stderr).toContain(
      "error: --paths zones/nothing.yaml: no zone comes from a file with such a path",
    );
    expect(unknown.code).toBe(1);
  });
});
