import { describe, it } from "vitest";

import { RulesetReader, VersionPruner } from "../../src/api/read/read-rulesets.ts";
import type { Get } from "../../src/api/request/call.ts";
import { routes } from "../../src/api/routes.ts";
import { createPruner, createRulesets } from "../../src/api/service.ts";
import { owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import { emulated, type Emulated } from "../support/emulated.ts";
import { fakeGet } from "../support/get.ts";
import { zone as zoneOf } from "../support/service.ts";

const entrypoint = [{ ref: "own", deploy: "owasp" }];

/** Three versions of the entry point. */
async function edited(world: Emulated): Promise<void> {
  await world.edit({ rule: "own", set: { enabled: false } });
  await world.edit({ rule: "own", set: { enabled: true } });
}

function readerOf(send: Get): RulesetReader {
  return new RulesetReader(() => send);
}

describe("rulesets of a zone", () => {
  it("are listed with the managed ones of its account", async ({ expect, signal }) => {
    await using world = await emulated({ entrypoint });
    const scope = { level: "zone", zone: world.zone } as const;
    const heads = await createRulesets(world.service, "changed").list(scope, signal);
    expect(heads.map(({ kind }) => kind)).toContain("zone");
    expect(heads.find(({ id }) => id === owaspRulesetId)).toMatchObject({
      kind: "managed",
      version: "87",
    });
  });

  it("keep their versions, of which old ones can be deleted", async ({ expect, signal }) => {
    await using world = await emulated({ entrypoint });
    await edited(world);
    const scope = { level: "zone", zone: world.zone } as const;
    const rulesets = createRulesets(world.service, "changed");
    const id = (await rulesets.list(scope, signal)).find(({ kind }) => kind === "zone")?.id ?? "";
    const versions = await rulesets.versions(scope, id, signal);
    expect(versions.map(({ version }) => version)).toEqual(["1", "2", "3"]);
    const second = await rulesets.read(scope, id, "2", signal);
    expect(second.rules.map(({ enabled }) => enabled)).toEqual([false]);

    const pruner = createPruner(world.service);
    await pruner.prune(scope, id, "1", signal);
    await expect(pruner.prune(scope, id, "3", signal)).rejects.toMatchObject({ status: 400 });
    const left = await rulesets.versions(scope, id, signal);
    expect(left.map(({ version }) => version)).toEqual(["2", "3"]);
  });
});

it("reads the rules of a managed ruleset of an account", async ({ expect, signal }) => {
  await using world = await emulated({});
  const scope = { level: "account", zone: world.zone } as const;
  const ruleset = await createRulesets(world.service, "changed").read(
    scope,
    owaspRulesetId,
    undefined,
    signal,
  );
  expect(ruleset.rules.at(-1)).toMatchObject({ action: "block", scoreThreshold: 40 });
  expect(ruleset.rules[0]?.categories).toContain("paranoia-level-1");
});

it("takes over each member of a ruleset and of its rules, in its own type or not at all", async ({
  expect,
  signal,
}) => {
  const head = {
    id: "abc",
    name: "Name",
    description: "Description",
    kind: "managed",
    phase: "http_request_firewall_managed",
    version: "12",
    last_updated: "2026-01-02T03:04:05Z",
  };
  const rule = {
    id: "def",
    ref: "own",
    action: "block",
    description: "A rule",
    expression: "ssl",
    enabled: false,
    categories: ["xss", 1, "sqli"],
    score_threshold: 40,
  };
  const odd = { id: 1, enabled: "no", categories: "xss", score_threshold: "40" };
  const fake = fakeGet(() => ({ result: { ...head, rules: [rule, odd, "no rule"] } }));
  const scope = { level: "zone", zone: zoneOf() } as const;
  const { last_updated: lastUpdated, ...same } = head;
  expect(await readerOf(fake.send).read(scope, "abc", undefined, signal)).toEqual({
    ...same,
    lastUpdated,
    rules: [
      {
        id: "def",
        ref: "own",
        action: "block",
        description: "A rule",
        expression: "ssl",
        enabled: false,
        categories: ["sqli", "xss"],
        scoreThreshold: 40,
        wire: rule,
      },
      {
        id: "1",
        ref: "",
        action: "",
        description: "",
        expression: "",
        enabled: true,
        categories: [],
        scoreThreshold: undefined,
        wire: odd,
      },
    ],
  });
});

it.for([
  { result: null },
  { result: [{ version: "1" }, {}] },
  { result: [{ version: "1" }, { version: "../1" }] },
  { result: [{ version: "1" }, "2"] },
])("rejects versions that are no versions: $result", async ({ result }, { expect, signal }) => {
  const scope = { level: "zone", zone: zoneOf() } as const;
  const listing = readerOf(fakeGet(() => ({ result })).send).versions(scope, "abc", signal);
  await expect(listing).rejects.toMatchObject({
    code: "API_MALFORMED",
    message: `GET ${routes.zoneRulesetVersions}: not a list of versions; unexpected response shape`,
  });
});

it("gives versions by their number, whatever the order of the answer", async ({
  expect,
  signal,
}) => {
  const result = ["10", "9", "2", "100"].map((version) => ({ id: "abc", version }));
  const scope = { level: "zone", zone: zoneOf() } as const;
  const versions = await readerOf(fakeGet(() => ({ result })).send).versions(scope, "abc", signal);
  expect(versions.map(({ version }) => version)).toEqual(["2", "9", "10", "100"]);
});

it.for([null, [], "abc", {}, { id: "../abc" }])(
  "rejects a ruleset that is none: %j",
  async (result, { expect, signal }) => {
    const { send } = fakeGet(() => ({ result }));
    const scope = { level: "zone", zone: zoneOf() } as const;
    const reading = readerOf(send).read(scope, "abc", undefined, signal);
    await expect(reading).rejects.toMatchObject({ code: "API_MALFORMED" });
    await expect(reading).rejects.toThrow(`GET ${routes.zoneRuleset}: not a ruleset;`);
  },
);

it.for([null, {}, [null], [{ id: "abc" }, {}], [{ id: "../abc" }]])(
  "rejects a list of rulesets that is none: %j",
  async (result, { expect, signal }) => {
    const { send } = fakeGet(() => ({ result }));
    const listing = readerOf(send).list({ level: "zone", zone: zoneOf() }, signal);
    await expect(listing).rejects.toMatchObject({ code: "API_MALFORMED" });
    await expect(listing).rejects.toThrow(`GET ${routes.zoneRulesets}: not a list of rulesets`);
  },
);

it.for([
  { level: "zone", version: undefined, route: routes.zoneRuleset, owner: "zone_id" },
  { level: "zone", version: "3", route: routes.zoneRulesetVersion, owner: "zone_id" },
  { level: "account", version: undefined, route: routes.accountRuleset, owner: "account_id" },
  { level: "account", version: "3", route: routes.accountRulesetVersion, owner: "account_id" },
] as const)("reads version $version of a ruleset of the $level", async (row, context) => {
  const { expect, signal } = context;
  const { send, calls } = fakeGet(() => ({ result: { id: "abc" } }));
  const zone = zoneOf();
  await readerOf(send).read({ level: row.level, zone }, "abc", row.version, signal);
  const owner = row.level === "zone" ? zone.id : zone.accountId;
  const version = row.version === undefined ? {} : { ruleset_version: row.version };
  expect(calls).toEqual([
    {
      method: "GET",
      route: row.route,
      params: { [row.owner]: owner, ruleset_id: "abc", ...version },
      query: {},
      body: undefined,
    },
  ]);
});

it.for(["zone", "account"] as const)(
  "asks for the lists of a %s, and deletes a version there",
  async (level, { expect, signal }) => {
    const { send, calls } = fakeGet(({ method }) => ({ result: method === "GET" ? [] : null }));
    const scope = { level, zone: zoneOf() };
    await readerOf(send).list(scope, signal);
    await readerOf(send).versions(scope, "abc", signal);
    await new VersionPruner(() => send).prune(scope, "abc", "3", signal);
    const start = `/${level}s/{${level}_id}/rulesets`;
    const owner = { [`${level}_id`]: level === "zone" ? scope.zone.id : scope.zone.accountId };
    const one = { ...owner, ruleset_id: "abc" };
    const bare = { query: {}, body: undefined };
    const versions = `${start}/{ruleset_id}/versions`;
    expect(calls).toEqual([
      { ...bare, method: "GET", route: start, params: owner, query: { per_page: "50" } },
      { ...bare, method: "GET", route: versions, params: one },
      {
        ...bare,
        method: "DELETE",
        route: `${versions}/{ruleset_version}`,
        params: { ...one, ruleset_version: "3" },
      },
    ]);
  },
);

it.for([
  { where: "cursors.after", info: (next: string) => ({ cursors: { after: next } }) },
  { where: "cursor", info: (next: string) => ({ cursor: next }) },
])("follows the cursor of a long list in $where", async ({ info }, { expect, signal }) => {
  const fake = fakeGet((_call, nth) => ({
    result: [{ id: `${nth}` }],
    resultInfo: nth < 3 ? info(`next-${nth}`) : {},
  }));
  const heads = await readerOf(fake.send).list({ level: "zone", zone: zoneOf() }, signal);
  expect(heads.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  expect(fake.calls.map(({ query }) => query["cursor"])).toEqual([undefined, "next-1", "next-2"]);
});

it.for([
  {
    when: "names a cursor again",
    after: (nth: number) => `${nth % 3}`,
    says: "a cursor that came before",
    is: 4,
  },
  { when: "never ends", after: (nth: number) => `${nth}`, says: "more than 200 pages", is: 200 },
])("rejects a listing that $when", async ({ after, says, is }, { expect, signal }) => {
  const fake = fakeGet((_call, nth) => ({
    result: [{ id: `${nth}` }],
    resultInfo: { cursors: { after: after(nth) } },
  }));
  const listing = readerOf(fake.send).list({ level: "zone", zone: zoneOf() }, signal);
  await expect(listing).rejects.toMatchObject({
    code: "API_MALFORMED",
    message: `GET ${routes.zoneRulesets}: ${says}; unexpected response shape`,
    ray: "ray-1",
  });
  expect(fake.calls).toHaveLength(is);
});

it("reads a page of more rulesets than a call takes arguments", async ({ expect, signal }) => {
  const result = Array.from({ length: 130_000 }, (_, nth) => ({ id: `${nth}` }));
  const fake = fakeGet(() => ({ result }));
  const heads = await readerOf(fake.send).list({ level: "zone", zone: zoneOf() }, signal);
  expect(heads).toHaveLength(result.length);
});
