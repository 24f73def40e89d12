import type { Claim, ClaimResult, Lease, LeaseStore } from "../../cluster/lease.ts";
import { coerceText } from "../../syntax/json.ts";
import { quotedName } from "./schema.ts";
import { literal, type Rows, type SqlConnection } from "./sql-connection.ts";

/**
 * The Lease in a row of the database, for processes outside of Kubernetes. Its version counts the writes, and a write that
 * finds another version is a conflict: nothing depends on the clock of the database.
 */
export function leaseRow(connection: SqlConnection, schema: string): LeaseStore {
  const table = `${quotedName(schema)}.lease`;
  return {
    read: async (timeoutMs) => {
      const [rows = []] = await connection.run([`SELECT * FROM ${table}`], timeoutMs);
      return rows[0] && leaseIn(rows[0]);
    },
    create: async (claim, timeoutMs) => {
      const insert = `INSERT INTO ${table} DEFAULT VALUES ON CONFLICT DO NOTHING`;
      const update = updateSql(table, "0", claim);
      const [, rows = []] = await connection.run([insert, update], timeoutMs);
      return resultOf(rows);
    },
    update: async ({ version }, claim, timeoutMs) => {
      const [rows = []] = await connection.run([updateSql(table, version, claim)], timeoutMs);
      return resultOf(rows);
    },
  };
}

function updateSql(table: string, version: string, claim: Claim): string {
  const { holder, durationMs, transitions, installation, page, releasedBy, now } = claim;
  const set = [
    "version = version + 1",
    `holder = ${literal(holder)}`,
    `duration_ms = ${durationMs}`,
    `transitions = ${transitions}`,
    `installation = ${literal(installation)}`,
    `page = ${literal(page)}`,
    `released_by = ${literal(releasedBy)}`,
    `renewed = ${literal(now.toISOString())}`,
  ];
  return `UPDATE ${table} SET ${set.join(", ")} WHERE version = ${version} RETURNING *`;
}

function resultOf(rows: Rows): ClaimResult {
  return rows[0] === undefined
    ? { result: "conflict" }
    : { result: "written", lease: leaseIn(rows[0]) };
}

function leaseIn(row: Rows[number]): Lease {
  return {
    holder: coerceText(row["holder"]),
    durationMs: Number(row["duration_ms"]) || undefined,
    transitions: Number(row["transitions"]),
    version: coerceText(row["version"]),
    installation: coerceText(row["installation"]),
    releasedBy: coerceText(row["released_by"]),
    page: coerceText(row["page"]),
    object: {},
  };
}
