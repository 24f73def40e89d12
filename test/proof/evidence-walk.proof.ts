import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { syntheticSeed } from "../../src/emulator/seed/synthetic-seed.ts";
import { coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { schemaErrors } from "../support/evidence-story.ts";
import { loopbackEmulator } from "../support/loopback-emulator.ts";
import { walkQuickStart } from "../support/quick-start.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Where `zonewarden` is, and how long the daemon runs: until it has recorded a check, and not for some time. */
const instead = {
  "mkdir shop": `alias zonewarden='node "${root}/src/main.ts"'\nmkdir shop`,
  "store: { path: state }": 'store: { path: state }\nserver: { listen: "127.0.0.1:0" }',
  "sleep 30": "until grep -q '\"scripts\":' state/history.jsonl; do sleep 0.1; done",
};

describe("the walk to evidence", () => {
  it("ends with evidence of a checked day, with the scripts that the emulator has", async ({
    expect,
  }) => {
    await using emulator = await loopbackEmulator(syntheticSeed());
    const port = Number(new URL(emulator.url).port);
    const search = process.env["PATH"] ?? "";
    await using walk = await walkQuickStart(port, instead, search, "docs/evidence.md");
    expect(walk.shown).toContain("evidence.html: OK");
    expect(walk.shown).not.toContain("missing:");
    expect(walk.code).toBe(0);
    const text = readFileSync(path.join(walk.directory, "shop/evidence/evidence.json"), "utf8");
    expect(schemaErrors(text)).toBe(null);
    expect(JSON.parse(text)).toMatchObject({
      history: { result: "intact" },
      limits: [],
      zones: [
        {
          days: [{ status: "checked" }],
          declared: { authorised: [{ url: "https://cdn.example.net/checkout.js" }] },
        },
      ],
    });
    const [zone = {}] = coerceObjects(coerceObject(JSON.parse(text))["zones"]);
    const urls = coerceObjects(zone["scripts"]).map(({ url }) => coerceText(url));
    expect(urls.toSorted()).toEqual([
      "https://cdn.example.net/checkout.js",
      "https://shop.example.com/app.js",
      "https://skimmer.example.org/s.js",
      "https://widget.example.org/chat.js",
    ]);
    const findings = coerceObjects(zone["findings"]).map(
      ({ kind, subject }) => `${coerceText(kind)} ${coerceText(subject)}`,
    );
    expect(findings.toSorted()).toEqual([
      "malicious https://skimmer.example.org/s.js",
      "unauthorised https://shop.example.com/app.js",
      "unauthorised https://skimmer.example.org/s.js",
      "unauthorised https://widget.example.org/chat.js",
    ]);
  });
});
