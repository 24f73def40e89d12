import { describe, it } from "vitest";

import type { LivePolicy } from "../../src/zone/live-zone.ts";
import { unmarked } from "../../src/zone/mark.ts";
import type { Policy } from "../../src/zone/resource.ts";
import {
  carriedOut,
  declared,
  desiredZone,
  livePolicy,
  policy,
  settingsOff,
} from "../support/model.ts";
import { ServiceFault, World } from "../support/world.ts";

const shop = "shop.example";
const minute = 60_000;
const applied = ["applied", "applied", "applied"];

/** Somebody else disables Page Shield. */
function switchOff(world: World): void {
  world.edit(shop, ({ settings = settingsOff }) => ({ settings: { ...settings, enabled: false } }));
}

function dropPolicies(world: World): void {
  world.edit(shop, () => ({ policies: [] }));
}

describe("writes that failed", () => {
  it.for([
    { what: "refused by the service", code: "API_SERVER" as const },
    { what: "without an answer", code: "API_UNKNOWN_OUTCOME" as const },
  ])("$what are no corrections", async ({ code }, { expect }) => {
    await using world = new World([shop]);
    await world.begin();
    switchOff(world);
    const isWrite = (): boolean => world.requests.at(-1)?.startsWith("write") === true;
    world.faults.set(shop, () => (isWrite() ? new ServiceFault(code, true) : undefined));
    await world.sweep("schedule", minute);
    const tries = world.requests.filter((request) => request === `write ${shop} update-settings`);
    expect(tries.length).toBeGreaterThan(3);

    world.faults.clear();
    world.takeResults();
    await world.clock.advance(minute);
    expect(world.takeResults()).toEqual([`${shop} applied`]);
  });
});

/** Somebody else changes the policies, and a sweep follows, four times; gives the results. */
async function fourRounds(
  world: World,
  change: (policies: readonly LivePolicy[], round: number) => readonly LivePolicy[],
): Promise<readonly string[]> {
  await world.begin();
  world.takeResults();
  for (let round = 0; round < 4; round += 1) {
    world.edit(shop, ({ policies }) => ({ policies: change(policies, round) }));
    await world.sweep("schedule", minute);
  }
  return world.reports.map((each) =>
    each.result === "held" ? each.holds.map(({ message }) => message).join() : each.result,
  );
}

function contended(field: string): string {
  return `${field} was corrected 3 times within 60 min, and changed back each time: find the other writer. zonewarden corrects it again after that time`;
}

describe("a tool that undoes what zonewarden does", () => {
  it.for([
    { what: "switching Page Shield off", off: switchOff },
    { what: "deleting a policy that only reports", off: dropPolicies },
  ])("by $what again and again does not win", async ({ off }, { expect }) => {
    await using world = new World([shop]);
    await world.begin();
    world.takeResults();
    for (let round = 0; round < 5; round += 1) {
      off(world);
      await world.sweep("schedule", minute);
    }
    expect(world.takeResults()).toEqual(Array.from({ length: 5 }, () => `${shop} applied`));
    expect(world.live.get(shop)?.settings?.enabled).toBe(true);
    expect(world.live.get(shop)?.policies).toHaveLength(1);
  });

  it("by deleting a policy that blocks again and again is another writer", async ({ expect }) => {
    await using world = new World([shop]);
    const policies = declared([policy("checkout", { action: "allow" })]);
    world.files.set(shop, desiredZone({ policies }).content);
    const came = await fourRounds(world, () => []);
    expect(came).toEqual([...applied, contended("policy/checkout (create)")]);
  });

  it("by taking off the mark of an adopted policy again and again is another writer", async ({
    expect,
  }) => {
    await using world = new World([shop], { adopt: true });
    const came = await fourRounds(world, (policies) =>
      policies.map((each) => ({ ...each, description: unmarked(each.description).description })),
    );
    expect(came).toEqual([...applied, contended("policy/checkout owner")]);
  });

  it("by changing another field each time is corrected each time", async ({ expect }) => {
    await using world = new World([shop]);
    const edits = [{ enabled: false }, { action: "allow" }, { value: "img-src *" }] as const;
    const came = await fourRounds(world, (policies, round) =>
      policies.map((each) => ({ ...each, ...edits[round % edits.length] })),
    );
    expect(came).toEqual([...applied, "applied"]);
  });
});

describe("a tool that recreates its resource after each delete", () => {
  it("is another writer, though the resource has a new id each time", async ({ expect }) => {
    await using world = new World([shop]);
    const policies = declared([policy("checkout"), policy("cart"), policy("login")], "delete");
    world.files.set(shop, desiredZone({ policies }).content);
    const came = await fourRounds(world, (live, round) => [...live, livePolicy(`${round}`)]);
    expect(came).toEqual([...applied, contended('the policy "Made by hand" (delete)')]);
  });
});

describe("a tool that recreates a policy with the mark of one that left the files", () => {
  it("is another writer, told by the key of the policy", async ({ expect }) => {
    await using world = new World([shop]);
    const policies = declared([policy("checkout"), policy("cart"), policy("login")], "delete");
    world.files.set(shop, desiredZone({ policies }).content);
    const old = policy("old");
    const came = await fourRounds(world, (live, round) => [...live, carriedOut(`${round}`, old)]);
    expect(came).toEqual([...applied, contended("policy/old (delete)")]);
  });
});

describe("files that declare a policy and drop it again and again", () => {
  it("are carried out each time", async ({ expect }) => {
    await using world = new World([shop]);
    const kept = [policy("checkout"), policy("cart"), policy("login")];
    const declare = async (policies: readonly Policy[]): Promise<void> => {
      world.files.set(shop, desiredZone({ policies: declared(policies) }).content);
      world.revision += "+";
      world.reconciler.filesChanged();
      await world.clock.advance(minute);
    };
    world.files.set(shop, desiredZone({ policies: declared(kept) }).content);
    await world.begin();
    for (let round = 0; round < 5; round += 1) {
      await declare([...kept, policy("sale")]);
      await declare(kept);
    }
    expect(new Set(world.takeResults())).toEqual(new Set([`${shop} applied`]));
    expect(world.live.get(shop)?.policies).toHaveLength(3);
  });
});
