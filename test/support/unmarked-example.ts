import type { Seed } from "../../src/emulator/seed/seed.ts";
import type { Host } from "../../src/host/host.ts";
import { lineOf } from "../../src/memory/directory/journal-line.ts";
import { coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { type Example, exampleSeed, exampleWithEmulator } from "./example.ts";

const shop = "shop.example.com";

/** The example's zones as they are before zonewarden: nothing has a mark, and only managed rules are there. */
function unmarkedSeed(): Seed {
  const { zones, ...rest } = exampleSeed((text) =>
    text
      .replaceAll(/ \[zonewarden:[a-z-]+\]/g, "")
      .replaceAll("ref: zonewarden:", "ref: terraform-"),
  );
  return { ...rest, zones: zones.map((zone) => ({ ...zone, rulesets: [] })) };
}

let seed: Seed | undefined;

/** A place with the unmarked zones, whose files are those that `import` wrote of the shop. */
export async function imported(
  config = "store: { path: state }",
  ports: Partial<Host> = {},
): Promise<Example> {
  const found = await exampleWithEmulator({
    seed: (seed ??= unmarkedSeed()),
    config,
    ports: { env: { ZONEWARDEN_API_TOKEN: "emulator-token" }, ...ports },
  });
  await found.place.remove("zones");
  const ran = await found.place.run("import", shop, "--out", "zones");
  if (ran.code !== 0) throw new Error(ran.stdout + ran.stderr);
  return found;
}

/** Deletes what has one of these keys from the shop's file. */
export async function deleteFromFile(
  { place }: Example,
  ...keys: readonly string[]
): Promise<void> {
  const file = `zones/${shop}.yaml`;
  const items = (await place.read(file)).split(/^(?= +- key: )/m);
  const [head = "", ...rest] = items;
  const kept = rest.map((item) => {
    const key = /- key: (\S+)/.exec(item)?.[1] ?? "";
    // The last item of a list is followed by the next key of the zone.
    const [, after = ""] = /\n( {4}\S.*)$/s.exec(item) ?? [];
    return keys.includes(key) ? after : item;
  });
  await place.write(file, [head, ...kept].join(""));
}

/** Keys that `import` makes. */
export const sale = "made-by-hand-for-the-spring-sale";
export const probes = "probes-of-the-load-balancer";

/** What `plan` says of the shop. */
export interface PlannedShop {
  readonly changes: readonly string[];
  readonly unowned: readonly string[];
  readonly unmanaged: readonly string[];
  readonly holds: readonly string[];
  readonly hash: string;
}

/** What `plan --format json` says of the shop. */
export async function plannedShop({ place }: Example): Promise<PlannedShop> {
  const { stdout } = await place.run("plan", shop, "--format", "json");
  const [zone = {}] = coerceObjects(coerceObject(JSON.parse(stdout))["zones"]);
  const plan = coerceObject(zone["plan"]);
  const changes = coerceObjects(plan["changes"]);
  return {
    changes: changes.map(({ verb, key }) => `${coerceText(verb)} ${coerceText(key)}`),
    unowned: texts(plan["unowned"], "key"),
    unmanaged: texts(plan["unmanaged"], "title"),
    holds: texts(zone["holds"], "reason"),
    hash: coerceText(plan["hash"]),
  };
}

function texts(list: unknown, name: string): string[] {
  return coerceObjects(list).map((each) => coerceText(each[name]));
}

/** The id and the ref of a rule of the shop that is declared and unmanaged. */
export async function unownedRule(
  { place }: Example,
  key: string,
): Promise<{ readonly id: string; readonly ref: string }> {
  const { stdout } = await place.run("plan", shop, "--format", "json");
  const [zone = {}] = coerceObjects(coerceObject(JSON.parse(stdout))["zones"]);
  const rules = coerceObjects(coerceObject(zone["plan"])["unowned"]);
  const rule = rules.find((each) => each["key"] === `managed_rule/${key}`);
  return { id: coerceText(rule?.["id"]), ref: coerceText(rule?.["ref"]) };
}

/** A state that claims rules of the shop, or nothing. */
export function stateOf(service: string, ...rules: readonly object[]): string {
  const header = { format: "zonewarden-state", version: 1, owner: "zonewarden", service };
  const entry = [`adopted/${shop}`, JSON.stringify(rules)];
  return lineOf(header) + (rules.length === 0 ? "" : lineOf([entry]));
}
