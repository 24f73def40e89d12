import { execFileSync, spawn } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { Client } from "pg";

import type { Database } from "../../src/memory/database.ts";
import { openDatabase } from "../../src/memory/postgres/open-database.ts";
import { eventually } from "./processes.ts";

/** The newest server of the system; "" if there is none. */
const programs = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1) ?? "";

/** Why tests with a database are skipped; `undefined`: they are not. */
export const noPostgres: string | undefined = existsSync(path.join(programs, "initdb"))
  ? undefined
  : "(skipped: there is no PostgreSQL; install postgresql)";

/** A server refuses to run as root: as root it runs as this user. */
const user = "postgres";

function ids(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    Number(execFileSync("id", [flag, user], { encoding: "utf8" })),
  );
  return uid === undefined || gid === undefined ? {} : { uid, gid };
}

/** A PostgreSQL server of a test, on a socket in a directory of its own. */
export class PostgresServer implements AsyncDisposable {
  readonly directory: string;
  #databases = 0;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** Starts a new server. */
  static async start(): Promise<PostgresServer> {
    const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-pg-"));
    const { uid, gid } = ids();
    if (uid !== undefined && gid !== undefined) await chown(directory, uid, gid);
    const server = new PostgresServer(directory);
    const options = ["--no-sync", "--auth=trust", `--username=${user}`, "--no-locale", "-EUTF8"];
    execFileSync(path.join(programs, "initdb"), ["-D", server.#data, ...options], {
      stdio: "ignore",
      ...ids(),
    });
    await server.launch();
    return server;
  }

  get #data(): string {
    return path.join(this.directory, "data");
  }

  /** Launches the server again after `kill`. */
  async launch(): Promise<void> {
    const settings = ["-D", this.#data, "-k", this.directory, "-h", "", "-F"];
    // The server ends with this process, however that ends: its input is then closed. So do its files.
    const script =
      'trap "" INT TERM HUP; files=$1; shift; "$@" </dev/null & cat >/dev/null; kill -QUIT $!; wait; rm -rf "$files"';
    const program = path.join(programs, "postgres");
    spawn("sh", ["-c", script, "sh", this.directory, program, ...settings], {
      stdio: ["pipe", "ignore", "ignore"],
      ...ids(),
    }).unref();
    await eventually("the server answers", async () => {
      try {
        await this.query("SELECT 1");
        return true;
      } catch {
        return undefined;
      }
    });
  }

  /** Ends the server: by default at once, as a lost machine does. */
  async kill(signal: NodeJS.Signals = "SIGQUIT"): Promise<void> {
    const text = await readFile(path.join(this.#data, "postmaster.pid"), "utf8").catch(() => "");
    const pid = Number.parseInt(text, 10);
    if (Number.isNaN(pid)) return;
    process.kill(pid, signal);
    await eventually("the server has ended", () => !isRunning(pid) || undefined);
  }

  /** The URL of a database, for a user. */
  url(database = "postgres", as = user): string {
    return `postgres://${as}@/${database}?host=${encodeURIComponent(this.directory)}`;
  }

  /** Runs statements as an administrator. */
  async query(
    text: string,
    database = "postgres",
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new Client({ connectionString: this.url(database) });
    client.on("error", () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(text);
      return rows;
    } finally {
      await client.end();
    }
  }

  /** The URL of a new, empty database. */
  async createDatabase(): Promise<{ readonly name: string; readonly url: string }> {
    const name = `test_${(this.#databases += 1)}`;
    await this.query(`CREATE DATABASE ${name}`);
    return { name, url: this.url(name) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

let shared: Promise<PostgresServer> | undefined;

/** A server that all tests of this process share. It ends with the process. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= PostgresServer.start();
  return shared;
}

/** A new database with the tables of an installation, and another connection to it whenever one is opened. */
export async function installation(): Promise<{
  readonly url: string;
  /** Name of the database. */
  readonly name: string;
  readonly open: () => Database;
}> {
  const server = await sharedPostgres();
  const { url, name } = await server.createDatabase();
  const open = (): Database => openDatabase("zonewarden", () => Promise.resolve(url));
  await using database = open();
  await database.tables.migrate();
  return { url, name, open };
}
