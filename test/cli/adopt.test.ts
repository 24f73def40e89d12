import { describe, it } from "vitest";

import type { Host } from "../../src/host/host.ts";
import {
  nodeStateDirectory,
  type StateDirectory,
} from "../../src/memory/directory/state-directory.ts";
import type { Ran } from "../support/command-line.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { namesOfFleet, seedOfFleet } from "../support/large-fleet.ts";
import { plantedToken } from "../support/service.ts";
import {
  deleteFromFile,
  imported,
  plannedShop,
  probes,
  sale,
  stateOf,
  unownedRule,
} from "../support/unmarked-example.ts";

const shop = "shop.example.com";

function textOf({ stdout }: Ran): string {
  return stdout.replaceAll(/\s+/g, " ");
}

/** A directory on a full disk. */
const fullDirectory: Host["stateDirectory"] = (directory) => ({
  ...nodeStateDirectory(directory),
  append: () => Promise.reject(new Error("ENOSPC")),
});

describe("import, then delete from the file", () => {
  it("leaves the live policy without adopt, and plan says so before and after", async ({
    expect,
  }) => {
    await using found = await imported();
    const { place, emulator } = found;
    const before = await place.run("plan", shop);
    expect(before.code).toBe(0);
    expect(textOf(before)).toContain(
      "unmanaged, declared: 3 policies and 2 managed rules (policy/made-by-hand-for-the-spring-sale, policy/scripts-of-the-checkout, policy/scripts-of-the-other-pages-only-reported and 2 more): deleted from the files, they would stay live; zonewarden adopt takes ownership",
    );
    expect((await plannedShop(found)).unowned).toHaveLength(5);
    const markdown = await place.run("plan", shop, "--format", "markdown");
    expect(textOf(markdown)).toContain("unmanaged, declared: 3 policies and 2 managed rules");

    await deleteFromFile(found, sale, probes);
    expect(await plannedShop(found)).toMatchObject({
      changes: [],
      unmanaged: ["Made by hand for the spring sale", "Probes of the load balancer"],
    });
    expect((await place.run("apply")).code).toBe(0);
    expect(writesSeenBy(emulator)).toEqual([]);
  });

  it("deletes after adopt: one write for each policy, none for a rule", async ({ expect }) => {
    await using found = await imported();
    const { place, emulator } = found;
    const adopted = await place.run("adopt", "--yes");
    expect(adopted.code, adopted.stdout + adopted.stderr).toBe(0);
    expect(adopted.stdout).toContain("3 of 3 requests done");
    expect(textOf(adopted)).toContain(
      `adopted without a request: managed_rule/${probes}, managed_rule/owasp`,
    );
    expect(writesSeenBy(emulator)).toHaveLength(3);
    expect(writesSeenBy(emulator).every((write) => /^PUT .*policies.* 200$/.test(write))).toBe(
      true,
    );
    expect(await plannedShop(found)).toMatchObject({ changes: [], unowned: [], unmanaged: [] });

    const again = await place.run("adopt", "--yes");
    expect(again.code).toBe(0);
    expect(writesSeenBy(emulator)).toHaveLength(3);

    await deleteFromFile(found, sale);
    expect(await plannedShop(found)).toMatchObject({
      changes: [`delete policy/${sale}`],
      holds: [],
    });
    await deleteFromFile(found, probes);
    const both = await plannedShop(found);
    expect(both.changes).toEqual([`delete managed_rule/${probes}`, `delete policy/${sale}`]);
    expect(both.holds).toContain("adopted_delete");
    expect((await place.run("apply")).code).toBe(4);
    expect(writesSeenBy(emulator)).toHaveLength(3);

    expect((await place.run("apply", "--accept", both.hash)).code).toBe(0);
    expect(writesSeenBy(emulator)).toHaveLength(5);
    expect(await plannedShop(found)).toMatchObject({ changes: [], unowned: [], unmanaged: [] });
  });

  it("does both in one step with import --adopt", async ({ expect }) => {
    await using found = await imported();
    const { place, emulator } = found;
    const ran = await place.run("import", shop, "--out", "zones", "--force", "--adopt", "--yes");
    expect(ran.code, ran.stderr).toBe(0);
    expect(writesSeenBy(emulator)).toHaveLength(3);
    expect((await plannedShop(found)).unowned).toEqual([]);
    const usage = await place.run("import", shop, "--adopt");
    expect(usage.code).toBe(1);
    expect(usage.stderr).toContain("--adopt needs --out");
  });
});

describe("zonewarden adopt", () => {
  it("writes nothing without --yes where nobody can be asked", async ({ expect }) => {
    await using found = await imported();
    const ran = await found.place.run("adopt");
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("nothing was written; --yes writes without asking");
    expect(textOf(ran)).toContain(
      "~ policy/scripts-of-the-checkout Scripts of the checkout adopts it",
    );
    expect(writesSeenBy(found.emulator)).toEqual([]);
    expect((await plannedShop(found)).unowned).toHaveLength(5);
  });

  it.for([
    { answer: true, code: 0, writes: 3 },
    { answer: false, code: 4, writes: 0 },
  ])(
    "shows the plan and its cost on a terminal, and asks: $answer",
    async ({ answer, code, writes }, { expect }) => {
      const asked: string[] = [];
      const confirm = (question: string): Promise<boolean> => {
        asked.push(question);
        return Promise.resolve(answer);
      };
      await using found = await imported(undefined, { isInteractive: true, confirm });
      const ran = await found.place.run("adopt", shop);
      expect(ran.code).toBe(code);
      expect(asked).toEqual([
        "Take ownership of 3 policies (3 requests) and 2 rules (no request) in 1 of 1 zone: what you delete from the files later is deleted in the zones. Adopt?",
      ]);
      expect(writesSeenBy(found.emulator)).toHaveLength(writes);
    },
  );

  it.for([
    { when: "mode: observe", config: "", mode: "observe", reason: "observe" },
    {
      when: "a freeze",
      mode: "enforce",
      config:
        'windows: [{ name: always, type: freeze, start: "0 0 1 1 *", duration: 8784h, timezone: Etc/UTC }]',
      reason: "freeze",
    },
  ])("is held by $when, as apply is", async ({ config, mode, reason }, { expect }) => {
    await using found = await imported(`store: { path: state }\n${config}`);
    const { place } = found;
    await place.edit("zonewarden.yaml", "mode: enforce", `mode: ${mode}`);
    const ran = await place.run("adopt", "--yes");
    expect(ran.code, ran.stdout + ran.stderr).toBe(4);
    expect(ran.stdout).toContain(`held by ${reason}`);
    expect(writesSeenBy(found.emulator)).toEqual([]);
    expect((await plannedShop(found)).unowned).toHaveLength(5);
  });

  it("is not held where it marks the policies of a whole fleet, and tells it in a few lines", async ({
    expect,
  }) => {
    const fleet = seedOfFleet(namesOfFleet(24));
    const seed = {
      ...fleet,
      zones: fleet.zones.map(({ policies = [], ...zone }, index) => ({
        ...zone,
        policies: policies.map((policy) => ({ ...policy, description: `Policy ${index % 17}` })),
      })),
    };
    const config = "store: { path: state }";
    const env = { ZONEWARDEN_API_TOKEN: plantedToken };
    await using found = await exampleWithEmulator({ seed, config, ports: { env } });
    const { place, emulator } = found;
    await place.remove("zones");
    await place.run("import", "--out", "zones");
    const ran = await place.run("adopt", "--yes");
    expect(ran.code, ran.stderr).toBe(0);
    expect(writesSeenBy(emulator)).toHaveLength(24);
    expect(ran.stdout.split("\n").length).toBeLessThan(20);
    expect(textOf(ran)).toContain("24 zones shop-0.example.com, ");
    expect(ran.stdout).toContain("~ policy owner – → zonewarden  adopts it");
  });

  it("counts for the fleet guard where it is not all that apply would do", async ({ expect }) => {
    const config =
      "desired: { adopt: on_first_apply }\nstore: { path: state }\nlimits: { min_fleet: 1 }";
    await using found = await imported(config);
    const { place } = found;
    const adopted = await place.run("plan");
    expect(adopted.code, adopted.stdout).toBe(2);
    const file = `zones/${shop}.yaml`;
    await place.write(file, (await place.read(file)).replace("enabled: true", "enabled: false"));
    const ran = await place.run("apply", "--yes");
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("held by fleet_change: would change 1 of 1 declared zones");
  });

  it("changes nothing else, and says how much it leaves", async ({ expect }) => {
    await using found = await imported();
    const { place, emulator } = found;
    const file = `zones/${shop}.yaml`;
    await place.write(file, (await place.read(file)).replace("enabled: true", "enabled: false"));
    const ran = await place.run("adopt", "--yes");
    expect(ran.code).toBe(0);
    expect(textOf(ran)).toContain("1 other change is not part of it");
    expect(writesSeenBy(emulator).every((write) => write.includes("/policies/"))).toBe(true);
    expect((await plannedShop(found)).changes).toEqual(["update setting/enabled"]);
  });

  it.for([
    { when: "there is no store", config: "", says: "there is no store" },
    {
      when: "the state belongs to another installation",
      config: "store: { path: state }\ndesired: { owner: other }",
      says: "the state belongs to owner",
    },
  ])("adopts policies and no rule where $when", async ({ config, says }, { expect }) => {
    await using found = await imported();
    const { place, emulator } = found;
    await place.run("adopt", "--yes", "nobody.example.com");
    await place.write("state/state.jsonl", stateOf(emulator.baseUrl));
    const before = await place.read("state/state.jsonl");
    await place.edit("zonewarden.yaml", "store: { path: state }", config);
    const ran = await place.run("adopt", "--yes");
    expect(ran.code).toBe(5);
    expect(ran.stderr).toContain("2 rules not adopted");
    expect(ran.stderr).toContain(says);
    expect(writesSeenBy(emulator)).toHaveLength(3);
    expect(await place.read("state/state.jsonl")).toBe(before);
  });

  it("counts only the rules that were not ours yet where the disk is full", async ({ expect }) => {
    await using found = await imported(undefined, { stateDirectory: fullDirectory });
    const { place, emulator } = found;
    const owasp = { ...(await unownedRule(found, "owasp")), key: "managed_rule/owasp" };
    await place.write("state/state.jsonl", stateOf(emulator.baseUrl, owasp));
    const ran = await place.run("adopt", "--yes");
    expect(ran.code).toBe(5);
    expect(ran.stderr).toContain("1 rule not adopted: the store cannot be written");
  });
});

describe("rules of all phases that are live as declared", () => {
  const [skip, block] = [
    { action: "skip", expression: "ip.src eq 198.51.100.7", description: "Probes" },
    { action: "block", expression: 'http.request.uri.path eq "/admin"', description: "Admin" },
  ];
  const ratelimit = {
    characteristics: ["cf.colo.id", "ip.src"],
    period: 60,
    requests_per_period: 5,
  };
  const limit = {
    ...block,
    description: "Login",
    ratelimit: { ...ratelimit, mitigation_timeout: 600 },
  };
  const foreign = { ...block, description: "Foreign", expression: "ssl" };
  const seed = {
    tokens: [{ name: "all", value: "emulator-token", permissions: "all" }],
    zones: [
      {
        name: shop,
        entrypoint: [{ deploy: "owasp" }],
        rulesets: [
          {
            name: "zone",
            phase: "http_request_firewall_custom",
            rules: [{ ...skip, action_parameters: { products: ["bic"] } }, block, foreign],
          },
          { name: "zone", phase: "http_ratelimit", rules: [limit] },
        ],
      },
    ],
  } as const;
  const file = JSON.stringify({
    zones: [
      {
        name: shop,
        custom_rules: {
          rules: [
            { ...skip, key: "probes", skip: { products: ["bic"] } },
            { ...block, key: "admin" },
          ],
        },
        rate_limiting_rules: { rules: [{ ...limit, key: "login" }] },
        managed_rules: { rules: [{ key: "owasp", deploy: "owasp" }] },
      },
    ],
  });

  it("are adopted without a request, and then deleted from their phase alone", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ seed, config: "store: { path: state }" });
    const { place, emulator } = example;
    await place.remove("zones");
    await place.write("zones/shop.yaml", file);
    expect(textOf(await place.run("plan"))).toContain(
      "unmanaged, declared: 2 custom rules, 1 rate limiting rule and 1 managed rule (",
    );
    const adopted = await place.run("adopt", "--yes");
    expect(textOf(adopted)).toContain(
      "adopted without a request: custom_rule/probes, custom_rule/admin, rate_limiting_rule/login, managed_rule/owasp",
    );
    expect(writesSeenBy(emulator)).toEqual([]);

    await place.write("zones/shop.yaml", file.replace(/,\{[^{}]*"key":"admin"\}/, ""));
    const { stdout } = await place.run("plan");
    expect(stdout).toContain("- custom_rule/admin  Admin");
    expect(stdout).toContain("0 to create, 0 to update, 1 to delete");
    expect(textOf({ stdout, stderr: "", code: 0 })).toContain(
      "left alone: 1 custom rule: “Foreign”",
    );
  });

  it.for([
    { when: "is damaged", text: "half a li\n", says: "line 1 is damaged" },
    { when: "is of another user", text: undefined, says: "EACCES: permission denied" },
  ])("are not created once more where the state $when", async ({ text, says }, { expect }) => {
    let isDenied = false;
    const denied = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
    const refuse = (): Promise<never> => Promise.reject(denied);
    const stateDirectory = (at: string): StateDirectory => {
      const all = nodeStateDirectory(at);
      return isDenied ? { ...all, names: refuse, read: refuse } : all;
    };
    await using example = await exampleWithEmulator({
      seed,
      config: "store: { path: state }",
      ports: { stateDirectory },
    });
    const { place, emulator } = example;
    await place.remove("zones");
    await place.write("zones/shop.yaml", file);
    expect((await place.run("adopt", "--yes")).code).toBe(0);
    await place.write("zones/shop.yaml", file.replace('"block"', '"managed_challenge"'));
    expect((await place.run("plan", "--out", "plan.json")).code).toBe(2);

    isDenied = text === undefined;
    if (text !== undefined) await place.write("state/state.jsonl", text);
    const planned = await place.run("plan", "--format", "json");
    expect(planned.code).toBe(2);
    expect(JSON.parse(planned.stdout)).toMatchObject({
      store_unread: planned.stderr.trimEnd(),
      zones: [{ plan: { unowned: [] } }],
    });
    const markdown = textOf(await place.run("plan", "--format", "markdown"));
    expect(markdown).toMatch(/^## zonewarden plan: .*? the store .*? cannot be used: /);
    expect(markdown).not.toContain("unmanaged, declared");
    for (const args of [
      [shop, "--yes"],
      ["--plan", "plan.json"],
    ]) {
      const { code, stderr } = await place.run("apply", ...args);
      expect(stderr).toMatch(/^the store \(.*state\) cannot be used: /);
      expect(stderr).toContain(says);
      expect(stderr).toContain("nothing is written: which rules are adopted");
      expect(code).toBe(1);
    }
    expect(writesSeenBy(emulator)).toEqual([]);
    if (text !== undefined) expect(await place.read("state/state.jsonl")).toBe(text);
  });
});
