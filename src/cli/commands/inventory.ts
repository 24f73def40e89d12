import { type ItemFilters, noFilters } from "../../api/read/item-query.ts";
import type { Host } from "../../host/host.ts";
import { valueText } from "../../render/format.ts";
import {
  inventoryCsv,
  inventoryJson,
  inventoryTable,
  itemJson,
  summaryLine,
} from "../../render/inventory-formats.ts";
import type { InventoryOptions, ZoneInventory } from "../../state/inventory.ts";
import { type ItemKind, maliciousReasons } from "../../zone/inventory-item.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import { startReading } from "../output/progress.ts";
import { tableText } from "../output/table.ts";
import { wantedZones } from "../session/listing.ts";
import { type Session, withService } from "../session/session.ts";

/** What the command line says, as commander gives it. */
export interface InventoryFlags {
  readonly config: string;
  readonly format: "table" | "json" | "csv";
  readonly id?: string;
  readonly summary?: boolean;
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
  readonly order?: "first-seen" | "last-seen";
  readonly direction?: "asc" | "desc";
  readonly name?: string;
  readonly path?: string;
  readonly domain?: string;
  readonly secure?: "yes" | "no";
  readonly httpOnly?: "yes" | "no";
  readonly sameSite?: string;
  readonly type?: string;
}

/** What `inventory` is told. */
export interface InventoryQuestion extends InventoryFlags {
  readonly kind: ItemKind;
  /** Patterns of zone names; none means all. */
  readonly zones: readonly string[];
}

/** `zonewarden inventory`: says what browsers reported. One zone that cannot be read does not hide the others. */
export async function inventoryCommand(question: InventoryQuestion, host: Host): Promise<ExitCode> {
  return withService(question.config, host, async (session) => {
    const mistake = mistakeIn(question);
    if (mistake !== undefined) {
      host.stderr.write(`${mistake}\n`);
      return exitCodes.failed;
    }
    const maliciousBelow = Number(question.maliciousBelow ?? session.config.impact.maliciousBelow);
    const options = { maliciousBelow, now: host.clock.now() };
    const { zones, failed: unlisted } = await wantedZones(question.zones, session);
    if (zones.length === 0) return exitCodes.failed;
    if (question.id !== undefined) return showOne(question, question.id, zones, options, session);
    const { inventories, failed } = await readAll(question, zones, options, session);
    print(question, inventories, options, host);
    if (failed === 0 && unlisted.length === 0) return exitCodes.done;
    return failed === zones.length ? exitCodes.unreachable : exitCodes.partial;
  });
}

/** What is wrong with a filter: one that narrows nothing shows everything, and one that cannot fit shows nothing. */
function mistakeIn(question: InventoryQuestion): string | undefined {
  if (!/^(?:[1-9]\d?|100)$/.test(question.maliciousBelow ?? "100")) {
    return "--malicious-below: write a number from 1 to 100";
  }
  const {
    host = [],
    page = [],
    url = [],
    excludeUrl = [],
    name = [],
    path = [],
    domain = [],
  } = question;
  const patterns = { host, page, name };
  const filters = { ...patterns, url, "exclude-url": excludeUrl, path, domain };
  const [empty] = optionsWhere(filters, (value) => value.trim() === "");
  if (empty !== undefined) return `${empty}: write what to look for, or leave it out`;
  const [inside] = optionsWhere(patterns, (value) => /[^,]\*[^,]/.test(value));
  return inside === undefined ? undefined : `${inside}: * stands only at the start and the end`;
}

function optionsWhere(
  options: Readonly<Record<string, string | readonly string[]>>,
  isSo: (value: string) => boolean,
): readonly string[] {
  return Object.entries(options).flatMap(([name, values]) =>
    [values].flat().some(isSo) ? [`--${name}`] : [],
  );
}

interface Reading {
  readonly inventories: readonly ZoneInventory[];
  readonly failed: number;
}

async function readAll(
  question: InventoryQuestion,
  zones: readonly Zone[],
  { maliciousBelow }: InventoryOptions,
  { service, host, stop }: Session,
): Promise<Reading> {
  const inventories: ZoneInventory[] = [];
  let failed = 0;
  const { kind, malicious } = question;
  for (const zone of zones) {
    using reading = startReading(`${zone.name}: ${kind}s`, host.stderr);
    try {
      const all = await service.inventory.list(
        zone,
        kind,
        filtersOf(question),
        stop,
        reading.report,
      );
      const items =
        malicious === true
          ? all.filter((item) => maliciousReasons(item, maliciousBelow).length > 0)
          : all;
      inventories.push({ zone: zone.name, kind, items });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      failed += 1;
      host.stderr.write(`${zone.name}: ${error.code}: ${error.message}\n`);
    }
  }
  return { inventories, failed };
}

function filtersOf(flags: InventoryFlags): ItemFilters {
  return {
    ...noFilters,
    hosts: flags.host ?? [],
    pageUrls: flags.page ?? [],
    urls: flags.url ?? [],
    excludeUrls: flags.excludeUrl ?? [],
    statuses: flags.status ?? [],
    excludeCdnCgi: flags.cdnCgi === true ? false : undefined,
    excludeDuplicates: flags.duplicates === true ? false : undefined,
    prioritizeMalicious: flags.maliciousFirst,
    orderBy: momentNames[flags.order ?? "none"],
    direction: flags.direction,
    name: flags.name,
    path: flags.path,
    domain: flags.domain,
    secure: yesOf(flags.secure),
    httpOnly: yesOf(flags.httpOnly),
    sameSite: flags.sameSite,
    type: flags.type,
  };
}

const momentNames = {
  none: undefined,
  "first-seen": "first_seen_at",
  "last-seen": "last_seen_at",
} as const;

function yesOf(answer: "yes" | "no" | undefined): boolean | undefined {
  return answer === undefined ? undefined : answer === "yes";
}

function print(
  { kind, format, summary }: InventoryQuestion,
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
        const isShown = summary !== true && inventory.items.length > 0;
        const table = inventoryTable(kind, inventory.items, options.maliciousBelow);
        stdout.write(`${summaryLine(inventory, options)}\n`);
        if (isShown) stdout.write(`\n${tableText(table)}\n\n`);
      }
  }
}

async function showOne(
  question: InventoryQuestion,
  id: string,
  zones: readonly Zone[],
  options: InventoryOptions,
  { service, host, stop }: Session,
): Promise<ExitCode> {
  const { kind, format } = question;
  const [zone, ...more] = zones;
  if (zone === undefined || more.length > 0) {
    host.stderr.write(`--id: name the zone of the ${kind}; ${zones.length} zones fit\n`);
    return exitCodes.failed;
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
