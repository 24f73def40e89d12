import { describe, it } from "vitest";

import { goodSeed } from "../support/emulator.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { stop, textFrom } from "../support/running.ts";

/** A zone whose contract has room for one policy, and has one of ours. */
const seed = goodSeed(`
tokens: [{ name: all, value: emulator-token, permissions: all }]
zones:
  - name: shop.example.com
    entitlements: { policies: 1 }
    policies:
      - description: The scripts of old [zonewarden:old]
        action: log
        expression: http.host eq "shop.example.com"
        enabled: true
        value: script-src 'self'
`);

async function fullZone(): Promise<Example> {
  const example = await exampleWithEmulator({ seed, config: 'schedule: { cron: "0 * * * *" }' });
  await example.place.remove("zones");
  await declare(example, "new");
  return example;
}

/** Declares policies with these keys, and nothing else. */
async function declare({ place }: Example, ...keys: readonly string[]): Promise<void> {
  const items = keys.map(
    (key) => `
          - key: ${key}
            description: The scripts of ${key === "old" ? "what replaces it" : key}
            action: allow
            expression: http.host eq "shop.example.com"
            value: script-src 'self' cdn.example.net`,
  );
  const list = items.length === 0 ? " []" : items.join("");
  await place.write(
    "zones/shop.yaml",
    `zones:\n  - name: shop.example.com\n    page_shield:\n      policies:\n        items:${list}\n`,
  );
}

const held =
  "held by quota: policy/new does not fit into the zone: POST /zones/{zone_id}/page_shield/policies: 400: exceeded the maximum number of rules in the phase http_response_page_shield: 2 out of 1 (code 50001); declare fewer, or have the quota of the zone raised; to make room first, leave policy/new out of the files until the zone is rid of policy/old, or declare it under that key, which changes it in place";

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

describe("a policy for which the service has no room until another one is gone", () => {
  it("holds its zone, says what makes room, and writes nothing", async ({ expect }) => {
    await using example = await fullZone();
    const { place, emulator } = example;
    expect((await place.run("plan", "--out", "plan.json")).code).toBe(2);
    for (const more of [[], [], ["--plan", "plan.json"]]) {
      const { code, stdout } = await place.run("apply", ...more);
      expect(oneLine(stdout)).toContain(held);
      expect(stdout).toContain("1 held");
      expect(code).toBe(4);
    }
    expect(writesSeenBy(emulator).every((write) => /^POST .* 400$/.test(write))).toBe(true);
  });

  it.for([
    { way: "once the other one is gone", first: [] },
    { way: "under the key of the other one", first: ["old"] },
  ])("is carried out $way", async ({ first }, { expect }) => {
    await using example = await fullZone();
    const { place } = example;
    expect((await place.run("apply")).code).toBe(4);
    await declare(example, ...first);
    expect((await place.run("apply")).code).toBe(0);
    if (first.length === 0) {
      await declare(example, "new");
      expect((await place.run("apply")).code).toBe(0);
    }
    expect((await place.run("plan")).code).toBe(0);
  });

  it("asks for fewer policies where none is deleted", async ({ expect }) => {
    await using example = await fullZone();
    await declare(example, "old", "new");
    await example.place.run("apply");
    const { code, stdout } = await example.place.run("apply");
    expect(oneLine(stdout)).toContain("have the quota of the zone raised");
    expect(stdout).not.toContain("make room first");
    expect(code).toBe(4);
  });

  it("is reported by the daemon as held for its quota, not as a failure", async ({ expect }) => {
    await using example = await fullZone();
    const daemon = example.place.start("run");
    expect(await logged(daemon, "plan held")).toMatchObject({ holds: [{ reason: "quota" }] });
    const metrics = await textFrom(daemon, "metrics");
    expect(metrics).toContain('zonewarden_zone_held{zone="shop.example.com",reason="quota"} 1');
    expect(metrics).toContain('zonewarden_zone_status{zone="shop.example.com",status="held"} 1');
    expect(await stop(daemon)).toBe(0);
  });
});

describe("a contract that allows fewer rules than the plan of the zone", () => {
  const contract = goodSeed(`
tokens: [{ name: all, value: emulator-token, permissions: all }]
zones:
  - name: shop.example.com
    plan: pro
    entitlements: { rules: { http_request_firewall_custom: 2 } }
    rulesets:
      - name: zone
        phase: http_request_firewall_custom
        rules:
          - { ref: "zonewarden:old", action: block, expression: ssl, enabled: false }
          - { ref: other, action: block, expression: ssl }
`);
  const files = `zones:
  - name: shop.example.com
    custom_rules: { rules: [{ key: new, action: block, expression: not ssl }] }
`;

  it.for([
    { by: "apply", commands: [["apply"]] },
    {
      by: "a saved plan",
      commands: [
        ["plan", "--out", "p.json"],
        ["apply", "--plan", "p.json"],
      ],
    },
    { by: "the daemon", commands: [] },
  ])("is kept between two writes by $by", async ({ commands }, { expect }) => {
    const config = "limits: { quota: { pro: { custom_rules: 2 } }, max_delete_share: 1 }";
    await using example = await exampleWithEmulator({ seed: contract, config });
    const { place, emulator } = example;
    await place.remove("zones");
    await place.write("zones/shop.yaml", files);
    for (const command of commands) await place.run(...command);
    if (commands.length === 0) {
      const daemon = place.start("run");
      await logged(daemon, "plan applied");
      await stop(daemon);
    }
    expect(writesSeenBy(emulator)).toEqual([
      expect.stringMatching(/^DELETE .* 200$/),
      expect.stringMatching(/^POST .* 200$/),
    ]);
    expect((await place.run("plan")).code).toBe(0);
  });
});
