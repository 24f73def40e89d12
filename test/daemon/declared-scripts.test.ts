import { describe, it } from "vitest";

import { readHistory } from "../../src/history/file/history-lines.ts";
import { control, type Example, exampleWithEmulator } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { stop } from "../support/running.ts";

const shop = "shop.example.com";
const config = "inventory: { enabled: true }\nstore: { path: state }";

/** Runs the daemon until it logs that a finding changed, and stops it; gives what it logged of findings. */
async function runUntil({ place }: Example, event: string): Promise<readonly string[]> {
  const daemon = place.start("run");
  await logged(daemon, `script finding ${event}`);
  daemon.signal("SIGTERM");
  const { stdout } = await daemon.ended;
  return [...stdout.matchAll(/"kind":"(\w+)".*"msg":"script finding (\w+)"/g)].map(
    ([, kind, told]) => `${told} ${kind}`,
  );
}

/** What the history file says of findings. */
async function recorded({ place }: Example): Promise<readonly string[]> {
  const text = await place.read("state/history.jsonl");
  const { scripts, damaged } = await readHistory(
    (async function* pieces() {
      yield await Promise.resolve(new TextEncoder().encode(text));
    })(),
  );
  if (damaged.length > 0) throw new Error("the history is damaged");
  return scripts.flatMap(({ events }) =>
    events.flatMap((each) => ("finding" in each ? `${each.event} ${each.finding.kind}` : [])),
  );
}

/** Declares scripts of the checkout in a zone of the example. */
async function declareScripts({ place }: Example): Promise<void> {
  const file = await place.read("zones/shop.yaml");
  const declared = `      scripts: { pages: ["${shop}/checkout/*"] }\n      policies:\n`;
  await place.write("zones/shop.yaml", file.replace("      policies:\n", declared));
}

describe("declared scripts in the daemon", () => {
  it("are not checked without an inventory, which the log says", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await declareScripts(example);
    const daemon = example.place.start("run");
    const line = await logged(
      daemon,
      "declared scripts are not checked: set inventory.enabled, with scripts in inventory.kinds",
    );
    expect(line).toMatchObject({ level: "warn", zones: 1, first: shop });
    await stop(daemon);
  });

  it("are known after a restart: what was found is not found again", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config });
    await declareScripts(example);
    const first = await runUntil(example, "opened");
    expect(first.toSorted()).toEqual([
      "opened malicious",
      "opened unauthorised",
      "opened unauthorised",
    ]);
    await control(example, "script", {
      zone: shop,
      url: "https://pay.example.net/v3/pay.js",
      vanish: true,
    });
    expect(await runUntil(example, "closed")).toEqual(["closed unauthorised"]);
    expect((await recorded(example)).toSorted()).toEqual([
      "closed unauthorised",
      "opened malicious",
      "opened unauthorised",
      "opened unauthorised",
    ]);
    const verified = await example.place.run("history", "verify");
    expect(verified.code).toBe(0);
  });
});
