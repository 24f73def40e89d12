import type { Config } from "../desired/config/config.ts";
import type { Database } from "../memory/database.ts";
import { openDatabase } from "../memory/postgres/open-database.ts";
import { errorText } from "../syntax/error-code.ts";
import type { Host } from "./host.ts";
import { readSecret } from "./secrets.ts";

/** The database that a configuration names; `undefined`: it names none. Sends nothing yet. */
export function databaseOf({ store }: Config, host: Host): Database | undefined {
  if (store === undefined || !("postgres" in store)) return undefined;
  const { url, schema } = store.postgres;
  return openDatabase(schema, async () => {
    try {
      return await readSecret(url, host);
    } catch (error) {
      const why = errorText(error);
      throw new Error(`the URL of the database is missing: ${why}`, { cause: error });
    }
  });
}
