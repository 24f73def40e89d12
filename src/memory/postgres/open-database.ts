import { type Database, DatabaseError } from "../database.ts";
import { leaseRow } from "./lease-row.ts";
import { SqlConnection, targetOf } from "./sql-connection.ts";
import { Tables } from "./tables.ts";

/**
 * @param url reads the URL, again at each new connection: user, password and TLS may change, the database may not. Rejects
 *   if there is none.
 */
export function openDatabase(schema: string, url: () => Promise<string>): Database {
  /** The one that this process began with. */
  let first: string | undefined;
  const connected = (text: string): void => {
    first ??= targetOf(text);
  };
  // Processes of which some still use the database before would each have a leader.
  const ofFirst = async (): Promise<string> => {
    const text = await url();
    if (first === undefined || targetOf(text) === first) return text;
    throw new DatabaseError(
      "the URL names another database than this process began with: stop all processes of this installation, then start them",
    );
  };
  const connection = new SqlConnection(ofFirst, connected);
  const leaseConnection = new SqlConnection(ofFirst, connected);
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
