import path from "node:path";

import type { Config, SecretSource } from "../../desired/config/config.ts";
import { databaseOf } from "../../host/configured-database.ts";
import type { Host } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { handleShutdown } from "../../host/shutdown.ts";
import { type Database, DatabaseError, noRight } from "../../memory/database.ts";
import { grantsSql, type StoreRoles } from "../../memory/postgres/schema.ts";
import { errorCode } from "../../syntax/error-code.ts";
import type { CliCommand, DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { checkKept } from "./check-kept.ts";
import { copyStore } from "./copy-store.ts";
import { trimHistory } from "./trim-history.ts";

export const defineStore: DefineCommand = (command, host) => {
  // Options after a subcommand are its own.
  command.enablePositionalOptions().examples("zonewarden store check");
  defineCheck(command, host);
  defineCopy(command, host);
  defineGrants(command, host);
  defineMigrate(command, host);
  defineTrim(command, host);
};

interface StoreFlags {
  readonly config: string;
  readonly urlFile?: string;
  readonly urlEnv?: string;
}

const defineCheck: DefineCommand = (command, host) => {
  command
    .command("check")
    .description("verify the state and the history in the store; writes nothing")
    .configFile()
    .examples("zonewarden store check", "zonewarden store check -c zonewarden.yaml")
    .runs((flags: StoreFlags) =>
      withConfig(flags, host, (config, stop) => checkKept(config, host, stop)),
    );
};

const defineCopy: DefineCommand = (command, host) => {
  command
    .command("copy")
    .description("copy state and history into an empty store; both must not be in use")
    .argument("<from>", `a directory, or "postgres": the database of the configuration`)
    .argument("<to>", `an empty directory, or "postgres" without state and history`)
    .configFile()
    .option("--history <file>", "the history file of <from>, if it is not history.jsonl in it")
    .examples(
      "zonewarden store copy /var/lib/zonewarden postgres",
      "zonewarden store copy postgres ./copy",
      "zonewarden store copy --history /var/log/history.jsonl /var/lib/old-state /var/lib/zonewarden",
    )
    .runs((from: string, to: string, flags: StoreFlags & { readonly history?: string }) =>
      withConfig(flags, host, (config, stop) =>
        copyStore({ from, to, history: flags.history }, config, host, stop),
      ),
    );
};

const defineGrants: DefineCommand = (command, host) => {
  command
    .command("grants")
    .description("print the SQL that gives three roles their rights; connects to nothing")
    .configFile()
    .option("--owner <role>", "migrates the tables, and drops old lines", "zonewarden_owner")
    .option("--writer <role>", "the daemon, and commands that write", "zonewarden_writer")
    .option("--reader <role>", "commands that only read", "zonewarden_reader")
    .examples(
      "zonewarden store grants | psql -v ON_ERROR_STOP=1 postgres://admin@db.example.com/zonewarden",
      "zonewarden store grants --owner dba --writer warden --reader auditor",
    )
    .runs((flags: GrantsFlags) => withConfig(flags, host, (config) => grants(flags, config, host)));
};

type GrantsFlags = StoreFlags & StoreRoles;

function grants({ owner, writer, reader }: GrantsFlags, { store }: Config, host: Host): ExitCode {
  if (store === undefined || !("postgres" in store)) return fail(noDatabase, host);
  if (new Set([owner, writer, reader]).size < 3) {
    return fail(
      "store grants: name three different roles: one that may do all has no need of grants",
      host,
    );
  }
  if ([owner, writer, reader].includes("")) return fail("store grants: a role has no name", host);
  host.stdout.write(grantsSql(store.postgres.schema, { owner, writer, reader }));
  return exitCodes.done;
}

const noDatabase =
  "store.postgres is not set: a directory (store.path) needs none of this; set store.postgres first";

const defineMigrate: DefineCommand = (command, host) => {
  withUrl(
    command
      .command("migrate")
      .description("create the tables, or bring them to the version of this program")
      .configFile(),
  )
    .examples(
      "zonewarden store migrate",
      "zonewarden store migrate --url-file owner-url    # as the owner of the tables",
    )
    .runs((flags: StoreFlags) => withDatabase(flags, host, (database) => migrate(database, host)));
};

function withUrl(command: CliCommand): CliCommand {
  return command
    .option("--url-file <file>", "a file with the URL for the owner, instead of the configured one")
    .option("--url-env <name>", "the variable with the URL for the owner");
}

async function migrate({ tables, place }: Database, host: Host): Promise<ExitCode> {
  const migrated = await tables.migrate().catch(withoutRight);
  if (migrated === "no_right") {
    return fail(
      "store migrate: this role may not create or change the tables: run what `zonewarden store grants` prints, and name the URL of the owner (--url-file, --url-env)",
      host,
    );
  }
  const { from, to } = migrated;
  const text =
    from === to
      ? `the tables have version ${to}: nothing to do`
      : `${from === 0 ? "created the tables" : "migrated the tables"}: from version ${from} to ${to}. If other roles use them, run once more what \`zonewarden store grants\` prints`;
  host.stdout.write(`${place}: ${text}\n`);
  return exitCodes.done;
}

function withoutRight(error: unknown): "no_right" {
  if (errorCode(error) === noRight) return "no_right";
  throw error;
}

const defineTrim: DefineCommand = (command, host) => {
  withUrl(
    command
      .command("trim")
      .description("drop lines of the history that are older than history.max_age, as the owner")
      .configFile(),
  )
    .examples("zonewarden store trim --url-file owner-url")
    .runs((flags: StoreFlags) =>
      withConfig(flags, host, (config, stop) => {
        const owners = withOwnersUrl(config, flags, host);
        return owners === undefined ? fail(noDatabase, host) : trimHistory(owners, host, stop);
      }),
    );
};

/** Loads the configuration. An error of the database is printed as one line. */
async function withConfig(
  { config: file }: StoreFlags,
  host: Host,
  work: (config: Config, stop: AbortSignal) => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  using shutdown = handleShutdown(host, exitCodes.failed);
  const { stop } = shutdown.signals;
  const config = await loadConfigOrPrint(file, host, stop);
  if (config === undefined) return exitCodes.invalid;
  try {
    return await work(config, stop);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return fail(error.message, host);
  }
}

function withDatabase(
  flags: StoreFlags,
  host: Host,
  work: (database: Database) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withConfig(flags, host, async (config) => {
    const owners = withOwnersUrl(config, flags, host);
    await using database = owners && databaseOf(owners, host);
    return database === undefined ? fail(noDatabase, host) : await work(database);
  });
}

/** The configuration with the URL that the flags name; `undefined`: it names no database. */
function withOwnersUrl(
  config: Config,
  { urlFile, urlEnv }: StoreFlags,
  { directory }: Host,
): Config | undefined {
  const { store } = config;
  if (store === undefined || !("postgres" in store)) return undefined;
  const { postgres } = store;
  const file = urlFile === undefined ? undefined : path.resolve(directory, urlFile);
  const url: SecretSource =
    file === undefined ? (urlEnv === undefined ? postgres.url : { env: urlEnv }) : { file };
  return { ...config, store: { postgres: { ...postgres, url } } };
}
