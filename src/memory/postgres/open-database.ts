import { type Database, DatabaseError } from "../database.ts";
import { leaseRow } from "./lease-row.ts";
import { SqlConnection, targetOf } from "./sql-connection.ts";
import { Tables } from "./tables.ts";

/**
 * @param url reads the URL, again at each new connection: user, password and TLS may change, the database may not. Rejects
 *   if there is none.
 */
export function openDatabase(schema: string, url: () => Promise<string>): Database {
  const ofOne = ofOneDatabase(url);
  const [connection, leaseConnection] = [new SqlConnection(ofOne), new SqlConnection(ofOne)];
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

/** Processes of which some still use the database before would each have a leader. */
function ofOneDatabase(url: () => Promise<string>): () => Promise<string> {
  let first: string | undefined;
  return async () => {
    const text = await url();
    const target = targetOf(text);
    first ??= target;
    if (target === first) return text;
    throw new DatabaseError(
      "the URL names another database than this process began with: stop all processes of this installation, then start them",
    );
  };
}
