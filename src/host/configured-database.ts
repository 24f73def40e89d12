import type { Config, SecretSource } from "../desired/config/config.ts";
import { type Database, DatabaseError } from "../memory/database.ts";
import { openDatabase } from "../memory/postgres/open-database.ts";
import { errorText } from "../syntax/error-code.ts";
import type { Host } from "./host.ts";
import { readSecret } from "./secrets.ts";

/** The database that a configuration names; `undefined`: it names none. Sends nothing yet. */
export function databaseOf({ store }: Config, host: Host): Database | undefined {
  if (store === undefined || !("postgres" in store)) return undefined;
  const { url, schema } = store.postgres;
  return openDatabase(schema, async () => {
    const text = await urlIn(url, host);
    if (hasBarePassword(text)) {
      throw new DatabaseError(
        "the URL of the database is cut off in its password: percent-encode special characters of the password: / as %2F, ? as %3F, # as %23",
      );
    }
    return text;
  });
}

async function urlIn(source: SecretSource, host: Host): Promise<string> {
  try {
    return await readSecret(source, host);
  } catch (error) {
    const why = errorText(error);
    throw new Error(`the URL of the database is missing: ${why}`, { cause: error });
  }
}

/** Whether the host part of a URL would end in its password. A parameter after it may hold an @. */
function hasBarePassword(url: string): boolean {
  const [, before = ""] = /^postgres(?:ql)?:\/\/(.*)@/.exec(url) ?? [];
  return /[/?#]/.test(before) && !/\?\w+=/.test(before);
}
