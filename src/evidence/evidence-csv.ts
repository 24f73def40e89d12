import { csvCell } from "../render/csv-cell.ts";
import type { Evidence } from "./evidence-pack.ts";
import { daysTable, type EvidenceTable, zoneTables } from "./evidence-tables.ts";

/** A file of the pack. */
export interface EvidenceFile {
  readonly file: string;
  readonly text: string;
}

/** The tables of all zones as CSV files (RFC 4180), with the zone in the first column. */
export function evidenceCsv({ zones }: Evidence): readonly EvidenceFile[] {
  const rows = zones.flatMap((zone) =>
    [...zoneTables(zone), daysTable(zone)].map((table) => ({ zone: zone.zone, table })),
  );
  return [...Map.groupBy(rows, ({ table }) => table.name)].map(([name, tables]) => ({
    file: `${name}.csv`,
    text: csvOf(tables),
  }));
}

function csvOf(
  tables: readonly { readonly zone: string; readonly table: EvidenceTable }[],
): string {
  const head = ["zone", ...(tables[0]?.table.columns ?? [])];
  const rows = tables.flatMap(({ zone, table }) => table.rows.map((row) => [zone, ...row]));
  return [head, ...rows].map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}
