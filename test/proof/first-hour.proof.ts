import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, describe, it } from "vitest";

import { runTool } from "../../deploy/release/commands.ts";
import { exportSource } from "../../deploy/release/source.ts";
import type { Seed, SeedZone } from "../../src/emulator/seed/seed.ts";
import { generateSeed, syntheticSeed } from "../../src/emulator/seed/synthetic-seed.ts";
import { coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { loopbackEmulator } from "../support/loopback-emulator.ts";
import { lineOf, linesOf, walk } from "../support/quick-start.ts";

const root = path.resolve(import.meta.dirname, "../..");
const [account, quickStart, auditLog, evidence] = [
  "docs/real-account.md",
  "docs/quick-start.md",
  "docs/audit-log.md",
  "docs/evidence.md",
];

/** Of the limit of the service. Its windows last for five minutes. */
const window = "10s";

/** Every fourth zone belongs to the other account, every fifth has no list of rules at all. */
function ofTwoAccounts({ rulesets, entrypoint, ...bare }: SeedZone, index: number): SeedZone {
  const lists = { ...(rulesets && { rulesets }), ...(entrypoint && { entrypoint }) };
  return {
    ...bare,
    ...(index % 5 > 0 && lists),
    ...(index % 4 === 0 && { account: "Synthetic Brands" }),
  };
}

/** The shop of the documents, and 199 other zones of two accounts; nothing has a mark. */
function seedOf(): Seed {
  const { accounts = [], zones } = syntheticSeed();
  const [shop] = zones.filter(({ name }) => name === "shop.example.com");
  const read = ["Zone Read", "Account Settings Read"];
  return {
    accounts,
    rate_limit: { requests: 600, window, lockout: window },
    tokens: [
      {
        name: "reader",
        value: "token-of-the-reader",
        permissions: [...read, "Page Shield Read", "Zone WAF Read"],
      },
      {
        name: "shop",
        value: "token-of-the-shop",
        permissions: [...read, "Page Shield", "Zone WAF Write"],
        zones: ["shop.example.com"],
      },
      {
        name: "fleet",
        value: "token-of-the-fleet",
        permissions: [...read, "Page Shield", "Zone WAF Write"],
      },
    ],
    zones: [
      ...(shop === undefined ? [] : [shop]),
      ...generateSeed({ zones: 199, scripts: 1 }).zones.map(ofTwoAccounts),
    ],
  };
}

/** How many lists of rules the zones have: entry points, and custom rulesets that a rule executes. */
function listsOf({ zones }: Seed): { readonly entrypoints: number; readonly custom: number } {
  const rulesets = zones.flatMap((zone) => zone.rulesets ?? []);
  const own = rulesets.filter(({ kind }) => kind !== "custom");
  const custom = own.flatMap(({ rules = [] }) => rules.filter((rule) => "deploy" in rule)).length;
  const deployed = zones.filter(({ entrypoint }) => entrypoint !== undefined).length;
  return { entrypoints: own.length + deployed, custom };
}

/** What a person types, as printed: from an empty folder to an enforced zone, an explained edit and evidence. */
function firstHour(): readonly string[] {
  const enforced = linesOf(account, {
    'export ZONEWARDEN_API_TOKEN="$(cat token)"': `zonewarden version
echo token-of-the-reader > token
echo token-of-the-shop > token-shop
export ZONEWARDEN_API_TOKEN="$(cat token)"`,
    "zonewarden init --yes --no-workflow": `cat > zonewarden.yaml <<'END'
mode: observe
api: { base_url: "http://127.0.0.1:8787/client/v4" }
budget: { requests: 600, window: ${window} }
server: { listen: "127.0.0.1:0" }
END
echo "== init"
code=0; zonewarden init --yes --no-workflow || code=$?
echo "== init is done with $code"
curl --silent http://127.0.0.1:8787/_emulator/journal > ../journal.json`,
    "zonewarden run > run.log 2>&1 &": "zonewarden run > ../run.log 2>&1 &",
    "sleep 30": "until grep -q 'zonewarden started' ../run.log || ! kill -0 $!; do sleep 0.1; done",
    "sed -i 's/zones: .shop.example.com./zones: [\"*\"]/' zonewarden.yaml": `echo token-of-the-fleet > ../token-shop
sed -i 's/zones: .shop.example.com./zones: ["*"]/' zonewarden.yaml`,
    "zonewarden plan            # exits with 4: the fleet guard holds it": `curl --silent http://127.0.0.1:8787/_emulator/journal > ../enforced.json
echo "== fleet"
code=0; zonewarden plan > ../fleet.txt || code=$?
cat ../fleet.txt; [ "$code" -eq 4 ]`,
    "zonewarden apply --yes --accept sha256-…    # the hash that the plan prints": `hash=$(grep --only-matching --max-count=1 'sha256-[0-9a-f]\\{64\\}' ../fleet.txt | head --lines=1)
zonewarden apply --yes --accept "$hash"
echo "== fleet is done"`,
  });
  const impact = enforced.findIndex((line) =>
    line.startsWith("zonewarden plan shop.example.com --impact"),
  );
  // What the workflow shows in the pull request of the same change.
  const reviewed = lineOf(quickStart, "zonewarden plan --changed-since main");
  const enforcedAndReviewed = enforced.toSpliced(
    impact + 1,
    0,
    'echo "== request"',
    reviewed,
    'echo "== request is done"',
  );
  const explained = [
    lineOf(quickStart, "curl http://127.0.0.1:8787/_emulator/edit"),
    lineOf(quickStart, "zonewarden plan                          # exits with 2: somebody"),
    lineOf(auditLog, "zonewarden blame shop.example.com"),
    "zonewarden apply shop.example.com --yes",
    "zonewarden plan",
  ];
  // The store is there already; the other lines are those of the page, from the declared scripts on.
  const all = linesOf(evidence, {
    "store: { path: state }": "# The store is there already.",
    "sleep 30":
      "until grep -q '\"scripts\":' .zonewarden/history.jsonl || ! kill -0 $!; do sleep 0.1; done",
  });
  const proven = all.slice(
    all.indexOf("cat > zones/checkout.yaml <<'END'"),
    all.findIndex((line) => line.startsWith("(cd evidence && sha256sum")) + 1,
  );
  return [...enforcedAndReviewed, ...explained, ...proven];
}

/** Whether a request, `PATCH /zones/… 200`, writes. */
function isWrite(request: string): boolean {
  return !request.startsWith("GET ");
}

/** `PATCH 200` */
function inShort(request: string): string {
  return request.replace(/ .* /, " ");
}

let directory: string;
/** Where npm put the commands of the packed program. */
let commands: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "zonewarden-first-hour-"));
  const source = exportSource(root, "HEAD", directory);
  const packed = ["pack", "--silent", "--pack-destination", directory];
  const name = runTool("npm", packed, { cwd: source.directory }).trim().split("\n").at(-1) ?? "";
  const empty = path.join(directory, "empty");
  await mkdir(empty);
  const install = ["install", "--silent", "--prefer-offline", "--no-audit", "--no-fund"];
  runTool("npm", [...install, path.join(directory, name)], { cwd: empty });
  commands = path.join(empty, "node_modules/.bin");
}, 900_000);

afterAll(() => rm(directory, { recursive: true, force: true }));

describe("the first hour with 200 zones", { timeout: 1_800_000 }, () => {
  it("goes from the packed program to an enforced zone, an explained edit and evidence", async ({
    expect,
  }) => {
    const seed = seedOf();
    await using emulator = await loopbackEmulator(seed);
    const port = Number(new URL(emulator.url).port);
    await using hour = await walk(firstHour(), port, `${commands}:${process.env["PATH"]}`);
    const { shown } = hour;
    expect(shown.slice(-3_000)).toContain("evidence.html: OK");
    expect(hour.code).toBe(0);

    const shownOf = (name: string): string =>
      shown.slice(shown.indexOf(`== ${name}\n`), shown.indexOf(`== ${name} is done`));
    const init = shownOf("init");
    expect(init).toMatch(/reading 200 zones: 600 to 1200 requests, 10 s to 20 s within/);
    expect(init).toContain("No changes. 200 of 200 zones in sync.");
    expect(shown).toContain("== init is done with 0\n");

    const requestsIn = async (name: string): Promise<readonly string[]> => {
      const journal: unknown = JSON.parse(await readFile(path.join(hour.directory, name), "utf8"));
      return coerceObjects(coerceObject(journal)["entries"]).map(
        ({ method, path: where, status }) => {
          return `${coerceText(method)} ${coerceText(where)} ${Number(status)}`;
        },
      );
    };
    const requests = await requestsIn("journal.json");
    const count = (part: RegExp): number => requests.filter((each) => part.test(each)).length;
    expect(requests.filter((each) => !each.endsWith(" 200"))).toEqual(
      // The token may not read rulesets of accounts: each of the two was asked once.
      requests.filter((each) => /^GET .*\/accounts\/[^/]+\/rulesets\/\w+ 403$/.test(each)),
    );
    expect(new Set(requests).size).toBe(requests.length);
    expect(count(/\/page_shield 200$/)).toBe(200);
    expect(count(/\/page_shield\/policies 200$/)).toBe(200);
    expect(count(/\/rulesets\?/)).toBe(200);
    const { entrypoints, custom } = listsOf(seed);
    expect(custom).toBe(43);
    expect(count(/\/entrypoint 200$/)).toBe(entrypoints);
    expect(count(/zones\/\w+\/rulesets\/\w{32} 200$/)).toBeGreaterThanOrEqual(custom);
    expect(count(/\/zones\?/)).toBe(4);
    // The score rule: the account refuses it, and one zone of each account answers.
    expect(requests.length).toBe(3 * 200 + entrypoints + custom + 4 + 2 * 2);

    const request = shownOf("request");
    expect(request).toMatch(/^1 zone of 200 changed since [0-9a-f]{12}$/m);
    expect(request).toContain("▲ strengthens, may break: paranoia level 2 → 3");

    // One cause, and one block for all zones that change in the same way.
    const fleet = shownOf("fleet");
    expect(fleet).toContain("neutral  ~ setting/use_connection_url_path value false → true\n");
    expect(fleet).toContain("175 zones  shop.example.com, ");
    expect(fleet.match(/Together held by fleet_change/g)).toHaveLength(1);
    expect(new Set(fleet.match(/sha256-[0-9a-f]{64}/g)).size).toBe(1);
    expect(fleet).toContain("Applied to 175 zones: requests 175 done. 200 of 200 zones in sync.");

    expect(shown).toContain("paranoia_level  1 → 3");
    expect(shown).toMatch(/ {2}dashboard@example\.com {2}dash {2}update rule \w{32} “/);
    expect(shown).not.toContain("token-of-the");
    // The journal keeps the latest requests alone: the first writes are in that of the time before the fleet.
    const enforced = (await requestsIn("enforced.json")).filter(isWrite);
    expect(enforced.map(inShort)).toEqual(["PATCH 403", "PATCH 200", "PUT 200"]);
    const later = emulator
      .journal()
      .map(({ method, path: where, status }) => `${method} ${where} ${status}`)
      .filter(isWrite);
    const rolledOut = later.filter((each) => /^PUT .*\/page_shield 200$/.test(each));
    expect(rolledOut.length).toBe(175);
    expect(later.slice(later.lastIndexOf(rolledOut.at(-1) ?? "") + 1).map(inShort)).toEqual([
      "PATCH 200",
    ]);
  });
});
