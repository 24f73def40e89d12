import { SqlConnection } from "./sql-connection.ts";
import { Tables } from "./tables.ts";

/** The database of a configuration. Nothing is sent before it is needed. */
export interface Database extends AsyncDisposable {
  readonly schema: string;
  /** For messages. */
  readonly place: string;
  readonly tables: Tables;
  /** A connection of its own: a renewal of the Lease must not wait for a long read. */
  readonly leaseConnection: SqlConnection;
}

/** @param url reads the URL, again at each new connection. Rejects if there is none. */
export function openDatabase(schema: string, url: () => Promise<string>): Database {
  const [connection, leaseConnection] = [new SqlConnection(url), new SqlConnection(url)];
  return {
    schema,
    place: `schema ${schema} of the database`,
    tables: new Tables(connection, schema),
    leaseConnection,
    [Symbol.asyncDispose]: async () => {
      await connection[Symbol.asyncDispose]();
      await leaseConnection[Symbol.asyncDispose]();
    },
  };
}
