import * as fc from "fast-check";
import { describe, it } from "vitest";

import { seededRandom } from "../../src/emulator/control/faults.ts";
import { planHash } from "../../src/plan/guard/release.ts";
import { planOf } from "../../src/render/read-plan-file.ts";
import {
  coerceList,
  coerceObject,
  isJsonObject,
  type JsonObject,
  parseJson,
} from "../../src/syntax/json.ts";
import { ask, listAnswer, policiesOf } from "../support/ask.ts";
import { damaged } from "../support/damaged-json.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { planFileOf } from "../support/forged-plan-file.ts";
import { startServer } from "../support/http-server.ts";
import { cases } from "../support/properties.ts";

const seeds = fc.nat();

/** The parts of every zone, without what each write changes. */
async function liveParts({ emulator }: Example): Promise<ReadonlyMap<string, string>> {
  const volatile = new Set(["id", "version", "updated_at", "last_updated"]);
  const parts = new Map<string, string>();
  for (const { id, name } of await listAnswer(emulator, "/zones")) {
    for (const part of [
      "page_shield",
      "page_shield/policies",
      "rulesets/phases/http_request_firewall_managed/entrypoint",
    ]) {
      const result = await ask(emulator, `/zones/${id}/${part}`);
      const text = JSON.stringify(result, (key, value: unknown) =>
        volatile.has(key) ? undefined : value,
      );
      parts.set(`${name} ${part}`, text);
    }
  }
  return parts;
}

/** A saved plan with hashes that fit its content. */
function withHashes(content: JsonObject): string {
  const zones = coerceList(content["zones"]).map((zone) => {
    const { plan: json, ...rest } = coerceObject(zone);
    const plan = planOf(coerceObject(json));
    const hash = plan === undefined ? {} : { hash: planHash(plan) };
    return { ...rest, plan: { ...coerceObject(json), ...hash } };
  });
  return planFileOf({ ...content, ...("zones" in content && { zones }) });
}

describe("a saved plan in which values are replaced, missing or doubled", () => {
  it("makes apply write nothing that the plan of today does not", async ({ expect }) => {
    await using honest = await exampleWithEmulator();
    const before = await liveParts(honest);
    await honest.place.run("apply");
    const after = await liveParts(honest);
    const most = writesSeenBy(honest.emulator).length;
    expect(most).toBeGreaterThan(3);

    const law = fc.asyncProperty(seeds, async (seed) => {
      await using example = await exampleWithEmulator();
      const { place, emulator } = example;
      await place.run("plan", "--out", "plan.json");
      const random = seededRandom(seed);
      const { hash: _old, ...saved } = coerceObject(parseJson(await place.read("plan.json")));
      const forged = random() < 0.5 ? damaged(saved, random) : saved;
      await place.write("plan.json", withHashes(damaged(forged, random)));
      const { code } = await place.run("apply", "--plan", "plan.json");
      expect([0, 3, 4, 5, 6]).toContain(code);
      expect(writesSeenBy(emulator).length).toBeLessThanOrEqual(most);
      for (const [part, text] of await liveParts(example)) {
        expect([before.get(part), after.get(part)], part).toContain(text);
      }
    });
    await fc.assert(law, cases(20));
  });
});

/** What an answer of the service may never lead to in the output of a command. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const internal = /internal error|TypeError|RangeError|\.ts:\d|[\u0000-\u0008\u000E-\u001F\u202E]/;

/** One text without `/`, `.` and `%`: a damaged answer may give another id, never another path. */
const id = "[A-Za-z0-9_-]{1,128}";
const writePath = new RegExp(
  `^/client/v4/zones/[0-9a-f]{32}/(page_shield(/policies(/${id})?)?|rulesets(/phases/[a-z_]+/entrypoint|/${id}(/rules(/${id})?)?)?)$`,
);

describe("answers in which values are replaced, missing or doubled", () => {
  it("break no command and no path, and a later apply puts everything right", async ({
    expect,
  }) => {
    const law = fc.asyncProperty(seeds, async (seed) => {
      await using example = await exampleWithEmulator();
      const { place, emulator } = example;
      const random = seededRandom(seed);
      const share = random() / 2;
      await using between = await startServer(({ method, path, authorization, body }, response) => {
        const headers = { authorization, "content-type": "application/json" };
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        void fetch(`${emulator.baseUrl}${path}`, { method, headers, ...sent }).then(
          async (answer) => {
            const json: unknown = await answer.json();
            const isDamaged = isJsonObject(json) && random() < share;
            response.writeHead(answer.status, { "content-type": "application/json" });
            response.end(JSON.stringify(isDamaged ? damaged(json, random) : json));
          },
        );
      });
      const config = await place.read("zonewarden.yaml");
      await place.write("zonewarden.yaml", config.replace(emulator.baseUrl, between.baseUrl));
      const runs = [
        await place.run("plan", "--out", "plan.json"),
        await place.run("apply"),
        await place.run("apply", "--plan", "plan.json"),
        await place.run("doctor"),
        await place.run("blame", "shop.example.com"),
        await place.run("import", "--out", "imported", "shop.example.com"),
      ];
      for (const { code, stdout, stderr } of runs) {
        expect([0, 1, 2, 3, 4, 5, 6, 7]).toContain(code);
        expect(`${stdout}${stderr}`).not.toMatch(internal);
      }
      const paths = emulator.journal().filter(({ method }) => method !== "GET");
      for (const { path } of paths) expect(path).toMatch(writePath);

      // An answer that hides a custom ruleset leads to a second one. To delete it with its rules is held without this.
      await place.write("zonewarden.yaml", `${config}\nlimits: { max_delete_share: 1 }\n`);
      await place.run("apply");
      expect((await place.run("plan")).code).toBe(0);
      const left = await policiesOf(emulator, "shop.example.com");
      expect(left.map(({ description }) => description)).toContain(
        "Made by hand for the spring sale",
      );
    });
    await fc.assert(law, cases(10));
  });
});
