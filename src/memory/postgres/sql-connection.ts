import type { Client } from "pg";

import { errorCode, errorText } from "../../syntax/error-code.ts";
import { coerceList, coerceObject, coerceObjects, type JsonObject } from "../../syntax/json.ts";
import { DatabaseError } from "../database.ts";

const connectTimeoutMs = 5_000;
/** How long a statement may take, and may wait for a lock, on the server. */
const statementTimeoutMs = 10_000;
const lockTimeoutMs = 3_000;
/** How long this process waits for an answer. */
const answerTimeoutMs = 15_000;

/** The rows of one statement. */
export type Rows = readonly JsonObject[];

/**
 * One connection to a database: made when it is first needed, and made anew after a failure, with the URL as it is then. It
 * has no session state, so a pooler may give each transaction another session.
 */
export class SqlConnection implements AsyncDisposable {
  readonly #url: () => Promise<string>;
  readonly #onConnected: ((url: string) => void) | undefined;
  #client: Promise<Client> | undefined;
  /** Settles when all that was run has ended: what fails ends its connection, and nothing else. */
  #before: Promise<unknown> = Promise.resolve();
  /** How often no connection could be made, and why at last: what waited meanwhile fails with it. */
  #failed = { times: 0, why: undefined as unknown };
  #isClosed = false;

  /**
   * @param url reads the URL. Rejects if there is none.
   * @param connected is called with the URL that led to a server.
   */
  constructor(url: () => Promise<string>, connected?: (url: string) => void) {
    this.#url = url;
    this.#onConnected = connected;
  }

  /**
   * Runs statements as one transaction and in one round trip, after those that were run before, and gives the rows of each.
   * After a rejection it is not known whether the transaction took place, unless the server refused it.
   *
   * @param timeoutMs how long this process waits for the answer once it asks.
   * @throws {DatabaseError}
   */
  run(statements: readonly string[], timeoutMs = answerTimeoutMs): Promise<readonly Rows[]> {
    const { times } = this.#failed;
    const ran = this.#before.then(() => {
      if (this.#failed.times > times) throw explained(this.#failed.why);
      return this.#run(statements, timeoutMs);
    });
    this.#before = ran.catch(() => undefined);
    return ran;
  }

  async #run(statements: readonly string[], timeoutMs: number): Promise<readonly Rows[]> {
    if (this.#isClosed) throw new DatabaseError("the connection to the database is closed");
    const text = [
      // The tables rely on this isolation: whoever waited for a lock sees what its holder wrote.
      "BEGIN ISOLATION LEVEL READ COMMITTED",
      `SET LOCAL statement_timeout = ${statementTimeoutMs}`,
      `SET LOCAL lock_timeout = ${lockTimeoutMs}`,
      ...statements,
      "COMMIT",
    ].join(";\n");
    const query = { text, query_timeout: timeoutMs };
    const client = this.#connected();
    try {
      const connection = await client.catch((why: unknown) => {
        this.#failed = { times: this.#failed.times + 1, why };
        throw why;
      });
      const results: unknown = await connection.query(query);
      return coerceList(results)
        .slice(3, -1)
        .map((result) => coerceObjects(coerceObject(result)["rows"]));
    } catch (error) {
      this.#drop(client);
      throw explained(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    const made = this.#connect(() => this.#drop(made));
    this.#client = made;
    return made;
  }

  async #connect(onError: () => void): Promise<Client> {
    // Loaded only if it is needed: most commands have no database.
    const { Client: SqlClient } = await import("pg");
    const url = await this.#url();
    const client = new SqlClient({
      connectionString: verifiedUrl(url),
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      application_name: "zonewarden",
    });
    // A connection that breaks while it is idle is made anew by the next statement.
    client.on("error", onError);
    await client.connect();
    this.#onConnected?.(url);
    return client;
  }

  /** A connection may be dropped again, after another one was made. */
  #drop(client: Promise<Client>): void {
    if (this.#client === client) this.#client = undefined;
    void client.then((made) => made.end()).catch(() => undefined);
  }
}

/**
 * A URL whose server is verified: only one on this machine, or one with `sslmode=disable`, is reached without TLS.
 *
 * @throws {DatabaseError} if it is no URL of PostgreSQL, or switches off the verification.
 */
export function verifiedUrl(text: string): string {
  if (hasBarePassword(text)) {
    throw new DatabaseError(
      "the URL of the database is cut off in its password: percent-encode special characters of the password: / as %2F, ? as %3F, # as %23",
    );
  }
  if (hasSeveralHosts(text)) {
    throw new DatabaseError(
      "the URL of the database names several hosts: name one, such as a pooler that reaches the primary",
    );
  }
  const url = parsedUrl(text);
  if (url === null || !["postgres:", "postgresql:"].includes(url.protocol)) {
    throw new DatabaseError(
      "the URL of the database must be postgres://user:password@host/database",
    );
  }
  const mode = url.searchParams.get("sslmode");
  if (mode === "no-verify") {
    const message =
      "sslmode=no-verify is not supported: name the certificate authority with sslrootcert=/path/ca.pem";
    throw new DatabaseError(message);
  }
  if (mode !== "disable" && !(mode === null && isLocal(url))) {
    url.searchParams.set("sslmode", "verify-full");
  }
  return url.href;
}

/** A socket needs no host, which a URL with a user must have. */
function parsedUrl(text: string): URL | null {
  return URL.parse(text.replace("@/", "@localhost/"));
}

/** The server and the database that a URL names; "": it is none. */
export function targetOf(text: string): string {
  const url = parsedUrl(text);
  if (url === null) return "";
  const { searchParams, hostname, pathname, username } = url;
  const host = (searchParams.get("host") ?? hostname).toLowerCase();
  const port = searchParams.get("port") || url.port || "5432";
  return `${host}:${port}/${pathname.slice(1) || username}`;
}

/** Whether the host part of a URL would end in its password. A parameter after it may hold an @. */
function hasBarePassword(url: string): boolean {
  const [, before = ""] = /^postgres(?:ql)?:\/\/(.*)@/.exec(url) ?? [];
  return /[/?#]/.test(before) && !/\?\w+=/.test(before);
}

/** Whether there is a comma in the host part of a URL, or in the parameter that replaces it. */
function hasSeveralHosts(url: string): boolean {
  return /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^/?#@]*,[^/?#@]*(?![^/?#])|[?&]host=[^&]*,/.test(url);
}

function isLocal({ hostname, searchParams }: URL): boolean {
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  return host === "" || host.startsWith("/") || /^(localhost|\[?::1\]?|127(\.\d+){3})$/.test(host);
}

const nameAuthority = "name the file of its certificate authority with sslrootcert in the URL";

/** What a person can do about an error of the server, by its SQLSTATE, or about its certificate, by the code of Node.js. */
const remedies: Readonly<Record<string, string>> = {
  "28P01": "correct the user or the password in the URL",
  "28000": "correct the user in the URL, or pg_hba.conf of the server",
  "3D000": "create the database, or correct its name in the URL",
  "3F000": "run `zonewarden store migrate`",
  "42P01": "run `zonewarden store migrate`",
  "42501": "run what `zonewarden store grants` prints as an administrator of the database",
  "25006":
    "this server is a read-only replica, or default_transaction_read_only is on: name the primary in the URL, or set it to off",
  "53100": "the disk of the server is full: free space on it",
  "53300":
    "raise max_connections of the server, or the connection limit of the role, or use a pooler",
  "55P03": "another transaction holds the lock: end it",
  CERT_HAS_EXPIRED: "renew the certificate of the server",
  ERR_TLS_CERT_ALTNAME_INVALID: "use a host name of the certificate in the URL",
  DEPTH_ZERO_SELF_SIGNED_CERT: nameAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: nameAuthority,
  UNABLE_TO_GET_ISSUER_CERT: nameAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: nameAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: nameAuthority,
};

/** What a person can do about an error of the client library, which has no code, by a part of its text. */
const remediesByText: readonly (readonly [part: string, remedy: string])[] = [
  ["password must be a string", "add the password to the URL"],
  [
    "does not support SSL",
    "configure TLS at the server, or add sslmode=disable to the URL if the network is trusted",
  ],
];

/** An error of the client library or the server, with what to do. */
function explained(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const code = errorCode(error);
  // Node.js has advice of its own about a certificate, for who starts it.
  const text = errorText(error).replace(/; if the root CA is installed .*/, "");
  const remedy = remedies[code] ?? remediesByText.find(([part]) => text.includes(part))?.[1];
  const message = `the database cannot be used: ${text}`;
  return new DatabaseError(remedy === undefined ? message : `${message}: ${remedy}`, code, error);
}

/** A text as a literal of SQL. */
export function literal(text: string): string {
  if (text.includes("\0")) throw new Error("a text with a zero byte cannot be stored");
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes("\\") ? `E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

/** A list of texts as an array of SQL. */
export function literals(texts: readonly string[]): string {
  return `ARRAY[${texts.map(literal).join(",")}]::text[]`;
}
