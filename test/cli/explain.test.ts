import { describe, it } from "vitest";

import { lineOf } from "../../src/memory/directory/journal-line.ts";
import { Fleet } from "../../src/state/fleet.ts";
import type { RolloutEndpoint } from "../../src/web/rollout-request.ts";
import { diagnosticCodes } from "../../src/zone/diagnostic-codes.ts";
import { workplace } from "../support/command-line.ts";
import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { fleetOf } from "../support/fleets.ts";
import { logged } from "../support/log-lines.ts";
import { freePort } from "../support/processes.ts";
import { daemon as factsOf, standby } from "../support/reports.ts";
import { stop } from "../support/running.ts";
import { serveFleet } from "../support/web-server.ts";

describe("explain", () => {
  it.for(Object.keys(diagnosticCodes))("explains %s with an example", async (code, { expect }) => {
    await using place = await workplace();
    const ran = await place.run("explain", code);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(new RegExp(`^${code} \\((error|warning)\\): .{10}`));
    expect(ran.stdout).toContain("Example:");
    expect(ran.stdout).toMatch(/^Remedy: .|^ {6}→ ./m);
    expect(ran.stdout.split("\n").length).toBeLessThan(50);
  });

  it("reads as this", async ({ expect }) => {
    await using place = await workplace();
    const { stdout } = await place.run("explain", "skip_without_effect");
    expect(stdout)
      .toBe(`SKIP_WITHOUT_EFFECT (warning): an exception comes after all rules that it could skip

Example:

    zones:
      - name: shop.example.com
        managed_rules:
          rules:
            - { key: owasp, deploy: owasp }
            - { key: upload, expression: ssl, skip: { rulesets: [owasp] } }

Diagnostic:

    zones.yaml:6:11: warning: no rule after "upload" is affected by it [SKIP_WITHOUT_EFFECT]
      6 |         - { key: upload, expression: ssl, skip: { rulesets: [owasp] } }
        |           ^
      → move it with \`before:\` and the key of the rule that it is an exception to

    1 warning

To suppress it for one line, write a comment on the line before, with a reason:
    # zonewarden-disable-next-line CODE -- reason
To change its level for some or all files, use \`lint\` in zonewarden.yaml.
`);
  });

  it("lists all codes, and names the nearest", async ({ expect }) => {
    await using place = await workplace();
    const { stdout } = await place.run("explain");
    expect(stdout.trim().split("\n")).toHaveLength(Object.keys(diagnosticCodes).length);
    expect(await place.run("explain", "CSP_NOSELF")).toEqual({
      code: 1,
      stdout: "",
      stderr: "explain: there is no code CSP_NOSELF; did you mean CSP_NO_SELF?\n",
    });
    expect((await place.run("explain", "nothing-like-it")).stderr).toBe(
      "explain: there is no code NOTHING-LIKE-IT; `zonewarden explain` lists all\n",
    );
  });
});

const zone = "shop.example.com";

describe("explain zone", () => {
  it("prints the answer of the running daemon, and of the files if none runs", async ({
    expect,
  }) => {
    const port = await freePort();
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    const text = await place.read("zonewarden.yaml");
    const config = text.replace(/listen: "127.0.0.1:0"/, `listen: "127.0.0.1:${port}"`);
    await place.write("zonewarden.yaml", `${config}limits: { max_update_share: 0.01 }\n`);

    const alone = await place.run("explain", "zone", zone);
    expect(alone.code, alone.stderr).toBe(0);
    expect(alone.stdout).toContain("not written: blocked by guards");
    expect(alone.stdout).toMatch(/> ✗ guards {6}would update 2 of \d+ managed/);
    expect(alone.stdout).toContain("? lease       only the running daemon knows");
    expect(alone.stdout).toContain(`http://127.0.0.1:${port}/api/v1/zones/${zone}/write`);

    const daemon = place.start("run");
    await logged(daemon, "plan held");
    const asked = await place.run("explain", "zone", zone, "--format", "json");
    expect(asked.code, asked.stderr).toBe(0);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      zone,
      changes: 2,
      blocked_by: "guards",
      links: [
        { link: "mode", answer: "passed" },
        { link: "suspension", answer: "passed" },
        { link: "window", answer: "passed" },
        { link: "guards", answer: "blocked" },
        { link: "fleet", answer: "passed" },
        { link: "lease", answer: "passed" },
        { link: "read", answer: "passed" },
        { link: "budget", answer: "passed" },
      ],
    });
    const page = await (await fetch(`http://127.0.0.1:${port}/zones/${zone}`)).text();
    expect(page).toContain("not written: blocked by guards");
    await stop(daemon);
    expect(writesSeenBy(emulator).filter((each) => each.includes(zone))).toEqual([]);
  });

  it("asks the leader beside a process that waits, as the commands for a rollout do", async ({
    expect,
  }) => {
    const asked: unknown[] = [];
    const rolloutOf = (isLeader: boolean): RolloutEndpoint => ({
      token: () => Promise.resolve("a-token"),
      works: () => isLeader,
      undeclared: () => [],
      command: ({ command }) => {
        asked.push(command);
        return Promise.resolve({ result: "done", zones: [], left: [] });
      },
      audit: () => undefined,
    });
    await using leader = await serveFleet(fleetOf(), { rollout: rolloutOf(true) });
    const cluster = { ...standby, page: `${leader.url}/` };
    await using waiting = await serveFleet(new Fleet(), {
      facts: () => factsOf({ cluster }),
      rollout: rolloutOf(false),
    });
    await using place = await workplace();
    const listen = new URL(waiting.url).host;
    await place.write("token", "a-token");
    await place.write(
      "zonewarden.yaml",
      `mode: enforce
server: { listen: "${listen}" }
store: { path: state }
rollout: { token_file: token, waves: [{ share: 100% }] }
`,
    );
    const explained = await place.run("explain", "zone", zone);
    expect(explained.stdout, explained.stderr).toContain(`(asked ${leader.url}/api/v1/zones/`);
    const status = await place.run("rollout", "status");
    expect(status.stdout, status.stderr).toContain("no rollout is under way");
    const paused = await place.run("rollout", "pause");
    expect(paused.stdout, paused.stderr).toContain("paused");
    expect(asked).toEqual([{ name: "pause", zones: [] }]);
  });

  it("says of steps that it cannot know them, if the store does not tell", async ({ expect }) => {
    await using example = await exampleWithEmulator({
      config: "store: { path: state }\nmeasurements: {}",
    });
    const { place } = example;
    const file = await place.read("zones/shop.yaml");
    const without = await place.run("explain", "zone", zone);
    expect(without.stdout).not.toContain("steps");
    const promote = "promote: { from: log, after: 7d, when: time_only }";
    const action = "            action: allow\n";
    expect(file).toContain(action);
    await place.write("zones/shop.yaml", file.replace(action, `${action}            ${promote}\n`));
    const { stdout, stderr } = await place.run("explain", "zone", zone);
    expect(stdout.split("\n")[0], stderr).toMatch(
      /^shop\.example\.com  .*; only the running daemon knows the steps$/,
    );
    const { stdout: json } = await place.run("explain", "zone", zone, "--format", "json");
    expect(JSON.parse(json)).toMatchObject({ zone, steps: null });
  });

  it.for([
    { when: "a revision is held", waits: undefined, remedy: "If you do not intend the revision" },
    {
      when: "a zone waits for its wave",
      waits: '{"waits":"1f"}',
      remedy: "Wait, release the plan",
    },
  ])("says that older files are in force, where $when", async ({ waits, remedy }, { expect }) => {
    await using example = await exampleWithEmulator({
      config: "store: { path: state }\nlimits: { max_update_share: 0.01 }",
    });
    const { place, emulator } = example;
    const owner = { owner: "zonewarden", service: emulator.baseUrl };
    const head = lineOf({ format: "zonewarden-state", version: 1, ...owner });
    const active = { revision: "sha256-1f", hash: "1f", round: "open" };
    const keys = [
      ["revision", JSON.stringify(active)],
      [`wave/${zone}`, waits ?? null],
    ];
    await place.write("state/state.jsonl", `${head}${lineOf(keys)}`);
    const { stdout, stderr } = await place.run("explain", "zone", zone);
    expect(stdout, stderr).toMatch(`${zone}  nothing to write; changes of a revision wait\n`);
    expect(stdout).toMatch(
      / {2}~ fleet {7}the store says that revision sha256-\w+ is not in force/,
    );
    expect(stdout).toContain(remedy);
    expect(stdout).toContain("? guards      only the running daemon knows");
  });

  it("says why a zone cannot be read, and that a name is not declared", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await control(example, "faults", { fault: "status", status: 403, path: "*/page_shield*" });
    const failed = await example.place.run("explain", "zone", zone);
    expect(failed.code, failed.stderr).toBe(0);
    expect(failed.stdout).toContain("> ✗ read");
    const unknown = await example.place.run("explain", "zone", "other.example");
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain("other.example");
    const many = await example.place.run("explain", "zone", "*.example.com");
    expect(many.code).toBe(1);
    expect(many.stderr).toContain("2 zones match *.example.com: name one");
  });
});
