import type { Database } from "../database.ts";
import { leaseRow } from "./lease-row.ts";
import { SqlConnection } from "./sql-connection.ts";
import { Tables } from "./tables.ts";

/** @param url reads the URL, again at each new connection. Rejects if there is none. */
export function openDatabase(schema: string, url: () => Promise<string>): Database {
  const [connection, leaseConnection] = [new SqlConnection(url), new SqlConnection(url)];
  return {
    place: `schema ${schema} of the database`,
    tables: new Tables(connection, schema),
    leases: leaseRow(leaseConnection, schema),
    [Symbol.asyncDispose]: async () => {
      await connection[Symbol.asyncDispose]();
      await leaseConnection[Symbol.asyncDispose]();
    },
  };
}
