import { type Host, notesOf, quietHost } from "../../host/host.ts";
import { plural, valueText } from "../../render/format.ts";
import {
  inventoryCsv,
  inventoryJson,
  inventoryTable,
  itemJson,
  summaryLine,
} from "../../render/inventory-formats.ts";
import type { InventoryOptions, ZoneInventory } from "../../state/inventory.ts";
import { type ItemKind, itemKinds, maliciousReasons } from "../../zone/inventory-item.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { startReading } from "../output/progress.ts";
import { tableText } from "../output/table.ts";
import { listMatchingZones } from "../session/listing.ts";
import { type Session, withSession } from "../session/session.ts";
import { addFilters, type FilterFlags, filtersOf, filterError } from "./inventory-filters.ts";

export const defineInventory: DefineCommand = (command, host, end) => {
  command.examples(...itemKinds.map((kind) => examples[kind][0]));
  for (const kind of itemKinds) {
    const list = command
      .command(`${kind}s`)
      .description(`list the ${kind}s of zones, or show one with its pages`)
      .argument("[zones...]", "only these zones (names, in which * matches anything, or ids)")
      .configFile()
      .formats("table", "json", "csv")
      .quiet()
      .option("--id <id>", `show only this ${kind}, with all ${details[kind]}`)
      .option("--summary", "only the counts of each zone");
    addFilters(list, kind);
    list
      .examples(...examples[kind])
      .action(async (zones: readonly string[], options: Omit<InventoryQuery, "kind" | "zones">) => {
        const usedHost = quietHost(host, options);
        end(await printInventories({ ...options, kind, zones }, usedHost));
      });
  }
};

/** What a single item shows and a list does not. */
const details = {
  script: "pages and versions",
  connection: "pages",
  cookie: "pages",
} as const satisfies Readonly<Record<ItemKind, string>>;

const examples = {
  script: [
    "zonewarden inventory scripts",
    "zonewarden inventory scripts shop.example.com --malicious",
    "zonewarden inventory scripts --status infrequent inactive --format csv > scripts.csv",
    "zonewarden inventory scripts shop.example.com --id 0123456789abcdef0123456789abcdef",
  ],
  connection: [
    "zonewarden inventory connections shop.example.com",
    "zonewarden inventory connections --url wss: --format json",
  ],
  cookie: [
    "zonewarden inventory cookies shop.example.com --secure no",
    "zonewarden inventory cookies --name '*session*' --format json",
  ],
} as const;

interface InventoryQuery extends FilterFlags {
  readonly kind: ItemKind;
  /** Patterns of zone names, or ids; none means all. */
  readonly zones: readonly string[];
  readonly config: string;
  readonly format: "table" | "json" | "csv";
  readonly id?: string;
  readonly summary?: boolean;
  readonly quiet?: boolean;
}

/** Prints what browsers reported. A zone that cannot be read does not affect the others. */
async function printInventories(query: InventoryQuery, host: Host): Promise<ExitCode> {
  return withSession(query.config, host, async (session) => {
    const error = filterError(query);
    if (error !== undefined) return fail(error, host);
    const maliciousBelow = Number(query.maliciousBelow ?? session.config.impact.maliciousBelow);
    const options = { maliciousBelow, now: host.clock.now() };
    const { zones, failed: unlisted } = await listMatchingZones(query.zones, session);
    if (zones.length === 0) return exitCodes.failed;
    if (query.id !== undefined) return printItem(query, query.id, zones, options, session);
    const inventories = await readInventories(query, zones, options, session);
    print(query, inventories, options, host);
    if (inventories.length === zones.length && unlisted.length === 0) return exitCodes.done;
    return inventories.length === 0 ? exitCodes.unreachable : exitCodes.partial;
  });
}

/** The inventories of the zones that could be read; prints a line for each of the others. */
async function readInventories(
  query: InventoryQuery,
  zones: readonly Zone[],
  { maliciousBelow }: InventoryOptions,
  { service, host, stop }: Session,
): Promise<readonly ZoneInventory[]> {
  const { kind, malicious = false } = query;
  const filters = filtersOf(query);
  const inventories: ZoneInventory[] = [];
  for (const zone of zones) {
    using reading = startReading(`${zone.name}: ${kind}s`, notesOf(host));
    try {
      const all = await service.inventory.list(zone, kind, filters, stop, reading.report);
      const items = all.filter(
        (item) => !malicious || maliciousReasons(item, maliciousBelow).length > 0,
      );
      inventories.push({ zone: zone.name, kind, items });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      host.stderr.write(`${zone.name}: ${error.code}: ${error.message}\n`);
    }
  }
  return inventories;
}

function print(
  { kind, format, summary }: InventoryQuery,
  inventories: readonly ZoneInventory[],
  options: InventoryOptions,
  { stdout }: Host,
): void {
  switch (format) {
    case "json":
      stdout.write(`${JSON.stringify(inventoryJson(inventories, options), null, 2)}\n`);
      return;
    case "csv":
      stdout.write(inventoryCsv(kind, inventories, options));
      return;
    case "table":
      for (const inventory of inventories) {
        stdout.write(`${summaryLine(inventory, options)}\n`);
        if (summary === true || inventory.items.length === 0) continue;
        const table = inventoryTable(kind, inventory.items, options.maliciousBelow);
        stdout.write(`\n${tableText(table)}\n\n`);
      }
  }
}

async function printItem(
  { kind, format }: InventoryQuery,
  id: string,
  zones: readonly Zone[],
  options: InventoryOptions,
  { service, host, stop }: Session,
): Promise<ExitCode> {
  const [zone, ...more] = zones;
  if (zone === undefined || more.length > 0) {
    return fail(`--id: ${plural(zones.length, "zone")} match; name the zone of the ${kind}`, host);
  }
  const item = await service.inventory.read(zone, kind, id, stop);
  const json = itemJson(item, options.maliciousBelow);
  const lines = Object.entries(json).map(([name, value]) => `${name}: ${valueText(value)}`);
  const texts = {
    table: () => `${lines.join("\n")}\n`,
    json: () => `${JSON.stringify(json, null, 2)}\n`,
    csv: () => inventoryCsv(kind, [{ zone: zone.name, kind, items: [item] }], options),
  };
  host.stdout.write(texts[format]());
  return exitCodes.done;
}
