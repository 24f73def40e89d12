import type { ItemFilters } from "../../api/read/read-inventory.ts";
import { type Host, notesOf } from "../../host/host.ts";
import { jsonText, plural, valueText } from "../../render/format.ts";
import {
  inventoryCsv,
  inventoryJson,
  inventoryTable,
  itemJson,
  summaryLine,
} from "../../render/inventory-formats.ts";
import type { InventoryOptions, ZoneInventory } from "../../state/inventory.ts";
import {
  type ItemKind,
  itemKinds,
  maliciousReasons,
  resourceStatuses,
} from "../../zone/inventory-item.ts";
import type { LabelSelector } from "../../zone/label-selector.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import type { CliCommand, DefineCommand, SessionFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { startReading } from "../output/progress.ts";
import { tableText } from "../output/table.ts";
import { withLabels } from "../session/fleet-part.ts";
import { listMatchingZones } from "../session/listing.ts";
import { type Session, withSession } from "../session/session.ts";

export const defineInventory: DefineCommand = (command, host) => {
  command.examples(...itemKinds.map((kind) => examples[kind][0]));
  for (const kind of itemKinds) {
    const list = command
      .command(`${kind}s`)
      .description(`list the ${kind}s of zones, or show one with its pages`)
      .argument("[zones...]", "only these zones (names, in which * matches anything, or ids)")
      .selector()
      .configFile()
      .formats("table", "json", "csv")
      .quiet()
      .option("--id <id>", `show only this ${kind}, with all ${details[kind]}`)
      .option("--summary", "only the counts of each zone");
    addFilters(list, kind);
    list
      .examples(...examples[kind])
      .runs((zones: readonly string[], options: Omit<InventoryQuery, "kind" | "zones">) =>
        printInventories({ ...options, kind, zones }, host),
      );
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

interface InventoryQuery extends FilterFlags, SessionFlags {
  readonly kind: ItemKind;
  /** Patterns of zone names, or ids; none means all. */
  readonly zones: readonly string[];
  readonly selector?: LabelSelector;
  readonly format: "table" | "json" | "csv";
  readonly id?: string;
  readonly summary?: boolean;
}

/** Prints what browsers reported. A zone that cannot be read does not affect the others. */
async function printInventories(query: InventoryQuery, host: Host): Promise<ExitCode> {
  return withSession(query, host, async (session) => {
    const error = filterError(query);
    if (error !== undefined) return fail(error, host);
    const maliciousBelow = Number(query.maliciousBelow ?? session.config.impact.maliciousBelow);
    const options = { maliciousBelow, now: host.clock.now() };
    const listing = await listMatchingZones(query.zones, session);
    const zones = await withLabels(query.selector, listing, session);
    if (zones.length === 0) return exitCodes.failed;
    if (query.id !== undefined) return printItem(query, query.id, zones, options, session);
    const inventories = await readInventories(query, zones, options, session);
    print(query, inventories, options, host);
    if (inventories.length === zones.length && listing.failed.length === 0) return exitCodes.done;
    return inventories.length === 0 ? exitCodes.unreachable : exitCodes.partial;
  });
}

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
      stdout.write(jsonText(inventoryJson(inventories, options)));
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
    json: () => jsonText(json),
    csv: () => inventoryCsv(kind, [{ zone: zone.name, kind, items: [item] }], options),
  };
  host.stdout.write(texts[format]());
  return exitCodes.done;
}

interface FilterFlags {
  readonly host?: readonly string[];
  readonly page?: readonly string[];
  readonly url?: readonly string[];
  readonly excludeUrl?: readonly string[];
  readonly status?: readonly string[];
  readonly cdnCgi?: boolean;
  readonly duplicates?: boolean;
  readonly malicious?: boolean;
  readonly maliciousFirst?: boolean;
  readonly maliciousBelow?: string;
  readonly order?: keyof typeof orders;
  readonly direction?: "asc" | "desc";
  readonly name?: string;
  readonly path?: string;
  readonly domain?: string;
  readonly secure?: "yes" | "no";
  readonly httpOnly?: "yes" | "no";
  readonly sameSite?: string;
  readonly type?: string;
}

const orders = { "first-seen": "first_seen_at", "last-seen": "last_seen_at" } as const;

function addFilters(command: CliCommand, kind: ItemKind): void {
  command
    .option("--host <host...>", "seen on these hosts; * at the start and end")
    .option("--page <url...>", "seen on these pages; * at the start and end");
  if (kind === "cookie") addCookieFilters(command);
  else addResourceFilters(command, kind);
  command
    .choice("--order <moment>", "sort by this moment", Object.keys(orders))
    .choice("--direction <direction>", "earliest (asc) or latest (desc) first", ["asc", "desc"]);
}

function addResourceFilters(command: CliCommand, kind: ItemKind): void {
  command
    .option("--url <part...>", "with this text in the URL")
    .option("--exclude-url <part...>", "without this text in the URL")
    .choice("--status <status...>", "with one of these; active by default", resourceStatuses)
    .option("--cdn-cgi", "also those below /cdn-cgi/, which the service itself adds")
    .option("--malicious", "only malicious ones")
    .option("--malicious-first", "malicious ones first");
  if (kind !== "script") return;
  command
    .option("--duplicates", "all URLs of the same content, not only the latest")
    .option(
      "--malicious-below <score>",
      "integrity scores below this are malicious; by default impact.malicious_below",
    );
}

function addCookieFilters(command: CliCommand): void {
  const yesNo = ["yes", "no"];
  command
    .option("--name <name>", "with this name; * at the start and end")
    .option("--path <path>", "with this path attribute")
    .option("--domain <domain>", "with this domain attribute")
    .choice("--secure <yes|no>", "with the attribute secure", yesNo)
    .choice("--http-only <yes|no>", "with the attribute http-only", yesNo)
    .choice("--same-site <mode>", "with this attribute same-site", ["lax", "strict", "none"])
    .choice("--type <type>", "of this type", ["first_party", "unknown"]);
}

/** What is wrong with the filters: an empty one would match everything, and an impossible one nothing. */
function filterError(flags: FilterFlags): string | undefined {
  if (!/^(?:[1-9]\d?|100)$/.test(flags.maliciousBelow ?? "100")) {
    return "--malicious-below: write a number from 1 to 100";
  }
  const { host, page, url, excludeUrl, name, path, domain } = flags;
  const patterns = { host, page, name };
  const filters = { ...patterns, url, "exclude-url": excludeUrl, path, domain };
  const empty = optionWhere(filters, (value) => value.trim() === "");
  if (empty !== undefined) return `${empty}: write what to look for, or remove the option`;
  const inside = optionWhere(patterns, (value) => /[^,]\*[^,]/.test(value));
  return inside && `${inside}: * can stand only at the start and the end`;
}

function optionWhere(
  options: Readonly<Record<string, string | readonly string[] | undefined>>,
  isWrong: (value: string) => boolean,
): string | undefined {
  const found = Object.entries(options).find(([, values = []]) => [values].flat().some(isWrong));
  return found && `--${found[0]}`;
}

function filtersOf(flags: FilterFlags): ItemFilters {
  return {
    hosts: flags.host,
    page_url: flags.page,
    urls: flags.url,
    exclude_urls: flags.excludeUrl,
    status: flags.status,
    exclude_cdn_cgi: flags.cdnCgi === true ? false : undefined,
    exclude_duplicates: flags.duplicates === true ? false : undefined,
    prioritize_malicious: flags.maliciousFirst,
    ...(flags.order && { order_by: orders[flags.order] }),
    ...(flags.direction && { direction: flags.direction }),
    name: flags.name,
    path: flags.path,
    domain: flags.domain,
    secure: flags.secure && flags.secure === "yes",
    http_only: flags.httpOnly && flags.httpOnly === "yes",
    same_site: flags.sameSite,
    type: flags.type,
  };
}
