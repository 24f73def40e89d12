import { describe, it } from "vitest";

import { compareText } from "../../src/syntax/by-text.ts";
import { advance, entriesOf, auditPath, window, zone } from "../support/audit-log.ts";
import { codeOf, objectIn, testEmulator, testStart, textIn } from "../support/emulator.ts";

describe("a fault of the audit log", () => {
  it("makes an entry late", async (context) => {
    await using world = await testEmulator(context);
    await world.control("POST", "/faults", { fault: "audit_late", seconds: 30 });
    await world.control("POST", "/edit", { zone, settings: { enabled: false } });
    await advance(world, "29s");
    context.expect(await entriesOf(world)).toEqual([]);
    await advance(world, "1s");
    context
      .expect(await entriesOf(world))
      .toMatchObject([{ action: { time: testStart.toISOString() } }]);
  });

  it("makes entries arrive out of order", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    await world.control("POST", "/faults", { fault: "audit_shuffled", seconds: 60 });
    for (let index = 0; index < 12; index += 1) {
      await world.control("POST", "/edit", { zone, settings: { enabled: index % 2 === 0 } });
      await advance(world, "1s");
    }
    const arrived: string[] = [];
    for (let second = 0; second < 60; second += 1) {
      await advance(world, "1s");
      for (const entry of await entriesOf(world, `${window}&direction=asc`)) {
        const id = textIn(entry, "id");
        if (!arrived.includes(id)) arrived.push(id);
      }
    }
    const listed = await entriesOf(world, `${window}&direction=asc`);
    const inOrder = listed.map((entry) => textIn(entry, "id"));
    expect(arrived.toSorted(compareText)).toEqual(inOrder.toSorted(compareText));
    expect(arrived).not.toEqual(inOrder);
  });

  it("loses or repeats the entries of the writes that it hits", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context);
    const hit = { path: "*/page_shield", credential: "alice@example.com" };
    await world.control("POST", "/faults", { fault: "audit_lost", count: 1, ...hit });
    await world.control("POST", "/faults", { fault: "audit_duplicated", skip: 1, ...hit });
    const edit = { zone, settings: { enabled: false } };
    await world.control("POST", "/edit", { ...edit, actor: "alice@example.com" });
    expect(await entriesOf(world)).toEqual([]);
    await world.control("POST", "/edit", { ...edit, actor: "bob@example.com" });
    await world.control("POST", "/edit", { ...edit, actor: "alice@example.com" });
    const emails = (await entriesOf(world)).map(({ actor }) => objectIn(actor)["email"]);
    expect(emails).toEqual(["alice@example.com", "alice@example.com", "bob@example.com"]);
  });

  it("denies the log, and nothing else", async (context) => {
    await using world = await testEmulator(context);
    await world.control("POST", "/faults", { fault: "denied", path: "*/logs/audit" });
    const answer = await world.call("GET", `${await auditPath(world)}?${window}`);
    context.expect([answer.status, codeOf(answer)]).toEqual([403, 10000]);
  });
});
