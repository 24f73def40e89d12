import type { ItemFilters } from "../api/item-query.ts";
import { noFilters } from "../api/item-query.ts";
import { isServiceError } from "../report/failure.ts";
import { inventoryTable } from "../report/inventory-table.ts";
import {
  inventoryCsv,
  inventoryJson,
  itemJson,
  summaryLine,
  type InventoryOptions,
  type ZoneInventory,
} from "../report/inventory.ts";
import { valueText } from "../report/value.ts";
import { maliciousReasons, type ItemKind } from "../zone/inventory.ts";
import type { Zone } from "../zone/zone.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import type { Machine } from "./machine.ts";
import { isWanted } from "./one-look.ts";
import { startReading } from "./progress.ts";
import { type Session, withService } from "./session.ts";
import { tableText } from "./table.ts";

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
export async function inventoryCommand(
  question: InventoryQuestion,
  machine: Machine,
): Promise<ExitCode> {
  return withService(question.config, machine, async (session) => {
    const below = scoreIn(question.maliciousBelow, session.config.impact.maliciousBelow);
    if (below === undefined) {
      machine.stderr.write("--malicious-below: write a number from 1 to 100\n");
      return exitCodes.failed;
    }
    const options = { maliciousBelow: below, now: machine.clock.now() };
    const zones = await wantedZones(question.zones, session);
    if (zones.length === 0) return exitCodes.failed;
    if (question.id !== undefined) return showOne(question, question.id, zones, options, session);
    const { inventories, failed } = await readAll(question, zones, options, session);
    print(question, inventories, options, machine);
    if (failed === 0) return exitCodes.done;
    return failed === zones.length ? exitCodes.unreachable : exitCodes.partial;
  });
}

function scoreIn(text: string | undefined, otherwise: number): number | undefined {
  if (text === undefined) return otherwise;
  const score = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return score >= 1 && score <= 100 ? score : undefined;
}

/** The zones that the service lists and the command line names. */
export async function wantedZones(
  patterns: readonly string[],
  { service, machine, stop }: Session,
): Promise<readonly Zone[]> {
  const { zones, failed } = await service.reader.listZones(stop);
  for (const { credential, error } of failed) {
    machine.stderr.write(`credential ${credential}: ${error.code}: ${error.message}\n`);
  }
  const wanted = zones.filter(({ name }) => isWanted(name, patterns));
  if (wanted.length === 0) {
    const named = patterns.length === 0 ? "no zone" : `no zone that fits ${patterns.join(", ")}`;
    machine.stderr.write(
      `the service lists ${named}: check the name, and what the token may see\n`,
    );
  }
  return wanted;
}

interface Reading {
  readonly inventories: readonly ZoneInventory[];
  readonly failed: number;
}

async function readAll(
  question: InventoryQuestion,
  zones: readonly Zone[],
  { maliciousBelow }: InventoryOptions,
  { service, machine, stop }: Session,
): Promise<Reading> {
  const inventories: ZoneInventory[] = [];
  let failed = 0;
  const { kind, malicious } = question;
  for (const zone of zones) {
    using reading = startReading(`${zone.name}: ${kind}s`, machine.stderr);
    try {
      const all = await service.inventory.list(
        zone,
        kind,
        filtersOf(question),
        reading.report,
        stop,
      );
      const items =
        malicious === true
          ? all.filter((item) => maliciousReasons(item, maliciousBelow).length > 0)
          : all;
      inventories.push({ zone: zone.name, kind, items });
    } catch (error) {
      if (!isServiceError(error)) throw error;
      failed += 1;
      machine.stderr.write(`${zone.name}: ${error.code}: ${error.message}\n`);
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
  { stdout }: Machine,
): void {
  switch (format) {
    case "json":
      stdout.write(`${JSON.stringify(inventoryJson(inventories, options), null, 2)}\n`);
      return;
    case "csv":
      stdout.write(inventoryCsv(inventories, options));
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
  { kind, format }: InventoryQuestion,
  id: string,
  zones: readonly Zone[],
  { maliciousBelow }: InventoryOptions,
  { service, machine, stop }: Session,
): Promise<ExitCode> {
  const [zone, ...more] = zones;
  if (zone === undefined || more.length > 0) {
    machine.stderr.write(`--id: name the zone of the ${kind}; ${zones.length} zones fit\n`);
    return exitCodes.failed;
  }
  const json = itemJson(await service.inventory.read(zone, kind, id, stop), maliciousBelow);
  const lines = Object.entries(json).map(([name, value]) => `${name}: ${valueText(value)}`);
  machine.stdout.write(
    format === "table" ? `${lines.join("\n")}\n` : `${JSON.stringify(json, null, 2)}\n`,
  );
  return exitCodes.done;
}
