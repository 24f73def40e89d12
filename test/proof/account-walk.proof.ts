import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { syntheticSeed } from "../../src/emulator/seed/synthetic-seed.ts";
import { loopbackEmulator } from "../support/loopback-emulator.ts";
import { walkQuickStart } from "../support/quick-start.ts";

const root = path.resolve(import.meta.dirname, "../..");
const shop = "shop.example.com";

/** The tokens that the page tells the reader to create. */
const tokens = [
  {
    name: "reader",
    value: "token-of-the-reader",
    permissions: ["Zone Read", "Page Shield Read", "Zone WAF Read"],
  },
  {
    name: "shop",
    value: "token-of-the-shop",
    permissions: ["Zone Read", "Page Shield", "Zone WAF Write"],
    zones: [shop],
  },
];

/** A change of many zones: first-hour.proof.ts walks it, with a token that may edit them. */
const ofManyZones = [
  `sed -i 's/zones: .shop.example.com./zones: ["*"]/' zonewarden.yaml`,
  "sed -i '/^    mode: observe$/d' zones/*.yaml",
  "sed -i 's/use_connection_url_path: false/use_connection_url_path: true/' zones/profiles/page-shield.yaml",
  "zonewarden plan            # exits with 4: the fleet guard holds it",
  "zonewarden apply --yes --accept sha256-…    # the hash that the plan prints",
];

/** The emulator in the place of the account, and its tokens in files. */
const instead: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ofManyZones.map((line) => [line, ""])),
  'export ZONEWARDEN_API_TOKEN="$(cat token)"': `alias zonewarden='node "${root}/src/main.ts"'
echo token-of-the-reader > token
echo token-of-the-shop > token-shop
export ZONEWARDEN_API_TOKEN="$(cat token)"`,
  "zonewarden init --yes --no-workflow": `zonewarden init --yes --emulator --no-workflow
cat > zonewarden.yaml <<'END'
mode: observe
api: { base_url: "http://127.0.0.1:8787/client/v4" }
server: { listen: "127.0.0.1:0" }
END`,
  "zonewarden run > run.log 2>&1 &": "zonewarden run > ../run.log 2>&1 &",
  "sleep 30": "until grep -q 'zonewarden started' ../run.log || ! kill -0 $!; do sleep 0.1; done",
};

describe("the walk on a real account", () => {
  it("writes nothing before the fifth step, and then to one zone", async ({ expect }) => {
    await using emulator = await loopbackEmulator({ ...syntheticSeed(), tokens });
    const port = Number(new URL(emulator.url).port);
    const search = process.env["PATH"] ?? "";
    await using walk = await walkQuickStart(port, instead, search, "docs/real-account.md");
    expect(walk.shown.slice(-3_000)).toMatch(/No changes\. 1 of 1 zone in sync\./);
    expect(walk.code).toBe(0);
    const writes = emulator.journal().filter(({ method }) => method !== "GET");
    expect(writes.map(({ method, status }) => `${method} ${status}`)).toEqual([
      "PATCH 403",
      "PATCH 200",
      "PUT 200",
    ]);
    expect(walk.shown).toContain("held by observe");
    expect(walk.shown).toContain("paranoia_level  2 → 3");
    expect(walk.shown).toMatch(/^0 errors, /m);
    const git = (...args: readonly string[]): string =>
      spawnSync("git", ["-C", path.join(walk.directory, "zone-files"), ...args], {
        encoding: "utf8",
      }).stdout;
    expect(git("log", "--format=%s", "--first-parent").trim().split("\n")).toEqual([
      "Raise the paranoia level of the shop",
      "Enforce the shop",
      "Declare the zones as they are",
    ]);
    expect(readFileSync(path.join(walk.directory, "run.log"), "utf8")).not.toContain("token-of");
  });
});
