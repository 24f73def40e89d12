import { sealOf } from "../../history/chain/history-chain.ts";
import type { HistoryBatch } from "../../history/file/history-store.ts";
import { coerceText } from "../../syntax/json.ts";
import type { KeyChange } from "../batched-store.ts";
import {
  type BatchResult,
  brokenState,
  DatabaseError,
  type DatabaseTables,
  type MeasurementBatch,
  type OpenedTables,
  type StoredTerm,
  type StoredHead,
  type TermBatch,
  unfinishedCopy,
} from "../database.ts";
import type { StoreIdentity } from "../state-store.ts";
import { markStateSql, migrations, migrationSql, quotedName, termKey } from "./schema.ts";
import { literal, literals, type Rows, type SqlConnection } from "./sql-connection.ts";

/** Lines that are read at once. */
const linesOfPage = 1_000;

/** Records of measurements that are read at once: less than half a megabyte. */
const recordsOfPage = 200;

/** What `lastEntries` reads at most: the newest lines, and bytes of the lines that it finds in them. */
const newestLines = 50_000;
const longestEntries = 16 * 1024 * 1024;

/** Characters of a line up to its trigger, at least: the rest of a long line need not be unpacked. */
const beginning = 600;

/** The tables of one installation in a database. Everything rejects with a {@link DatabaseError} if it cannot be used now. */
export class Tables implements DatabaseTables {
  readonly #connection: SqlConnection;
  readonly #name: string;
  readonly #migrations: typeof migrations;

  /** @param schema where the tables are. @param all the migrations that the program knows. */
  constructor(connection: SqlConnection, schema: string, all = migrations) {
    this.#connection = connection;
    this.#name = schema;
    this.#migrations = all;
  }

  get version(): number {
    return this.#migrations.length;
  }

  #run(statements: readonly string[]): Promise<readonly Rows[]> {
    return this.#connection.run(statements);
  }

  /** The first row of one statement; empty if there is none. */
  async #row(statement: string): Promise<Rows[number]> {
    const [rows = []] = await this.#run([statement]);
    return rows[0] ?? {};
  }

  /** The name of a table in SQL. */
  #table(name: string): string {
    return `${quotedName(this.#name)}.${name}`;
  }

  async migrate(): Promise<{ readonly from: number; readonly to: number }> {
    await this.#checkEncoding();
    const to = this.version;
    const from = await this.#version();
    if (from > to) throw this.#newer(from);
    if (from === to) return { from, to };
    try {
      await this.#run([migrationSql(from, this.#name, this.#migrations)]);
      return { from, to };
    } catch (error) {
      // Another process may have migrated them meanwhile.
      const now = await this.#version().catch(() => from);
      if (now === from) throw error;
      return this.migrate();
    }
  }

  async createMissing(): Promise<boolean> {
    if ((await this.#version()) > 0) return false;
    return (await this.migrate()).from === 0;
  }

  #newer(version: number): DatabaseError {
    return new DatabaseError(
      `the tables have version ${version}, and this program knows up to ${this.version}: use the version of zonewarden that wrote them, or a newer one`,
    );
  }

  async #version(): Promise<number> {
    const table = this.#table("installation");
    const found = await this.#row(`SELECT to_regclass(${literal(table)}) IS NOT NULL AS is_there`);
    if (found["is_there"] !== true) return 0;
    return this.#versionIn(await this.#row(`SELECT version FROM ${table}`));
  }

  #versionIn({ version }: Rows[number]): number {
    if (version !== undefined) return Number(version);
    throw new DatabaseError(
      `the table ${this.#name}.installation has no row: restore the database from a backup`,
    );
  }

  async check(identity: StoreIdentity, use: "read" | "lead" = "read"): Promise<void> {
    await this.#checkOwner(identity);
    if (use === "read") return;
    const [installation, state, history] = ["installation", "state", "history"].map((name) =>
      this.#table(name),
    );
    // The server judges the right of each statement, and changes no row.
    await this.#run([
      `UPDATE ${installation} SET term = term WHERE false`,
      `INSERT INTO ${state} SELECT key, value FROM ${state} WHERE false`,
      `UPDATE ${state} SET value = value WHERE false`,
      `DELETE FROM ${state} WHERE false`,
      `INSERT INTO ${history} SELECT n, hash, line FROM ${history} WHERE false`,
    ]);
  }

  /** In another encoding, one character of a rule that the service has would stop all batches. */
  async #checkEncoding(): Promise<void> {
    const { encoding } = await this.#row("SELECT current_setting('server_encoding') AS encoding");
    if (encoding === "UTF8" || encoding === "SQL_ASCII") return;
    const remedy = "create a database with ENCODING 'UTF8'";
    throw new DatabaseError(`the encoding of the database is ${coerceText(encoding)}: ${remedy}`);
  }

  async #checkOwner({ owner, service }: StoreIdentity): Promise<void> {
    await this.#checkEncoding();
    const row = await this.#row(
      `SELECT version, owner, service FROM ${this.#table("installation")}`,
    );
    const version = this.#versionIn(row);
    if (version > this.version) throw this.#newer(version);
    if (version < this.version) {
      throw new DatabaseError("the tables are of an older version: run `zonewarden store migrate`");
    }
    const [foundOwner, foundService] = [coerceText(row["owner"]), coerceText(row["service"])];
    if (foundOwner === unfinishedCopy.owner && foundService === unfinishedCopy.service) {
      const remedy = `drop the schema ${this.#name}, run \`zonewarden store migrate\`, and copy again`;
      throw new DatabaseError(
        `a \`zonewarden store copy\` into this schema was interrupted: ${remedy}`,
      );
    }
    const isNew = foundOwner === "" && foundService === "";
    if (isNew || (foundOwner === owner && foundService === service)) return;
    throw new DatabaseError(
      `the schema ${this.#name} belongs to owner "${foundOwner}" at "${foundService}": give this installation a schema of its own (store.postgres.schema)`,
    );
  }

  async storeId(): Promise<string> {
    const { id } = await this.#row(`SELECT id FROM ${this.#table("installation")}`);
    return coerceText(id);
  }

  /** Says in one row whether the state is of the term that the installation has. */
  #agreement(): string {
    return `SELECT term::text = (SELECT value FROM ${this.#table("state")} WHERE key = '${termKey}') AS is_whole FROM ${this.#table("installation")}`;
  }

  /** One round trip. */
  async begin(
    { owner, service }: StoreIdentity,
    after: number,
    unstored: readonly KeyChange[] = [],
  ): Promise<OpenedTables> {
    const installation = this.#table("installation");
    const may = `WITH may AS MATERIALIZED (SELECT 1 FROM ${installation} WHERE term = ${after})`;
    const stored = unstored.length === 0 ? "" : `${may}${this.#stateChanges(unstored)}\n`;
    const [[before] = [], [whole] = [], , [term] = [], entries = [], [head] = [], [right] = []] =
      await this.#run([
        `SELECT term FROM ${installation} FOR UPDATE`,
        this.#agreement(),
        `${markStateSql(quotedName(this.#name), "term + 1")} AND term >= ${after}`,
        `${stored}UPDATE ${installation} SET term = greatest(term, ${after}) + 1, owner = ${literal(owner)}, service = ${literal(service)} RETURNING term`,
        `SELECT key, value FROM ${this.#table("state")}`,
        this.#lastLine(),
        `SELECT has_table_privilege(${literal(this.#table("history"))}, 'DELETE') AS can_drop`,
      ]);
    return {
      term: Number(term?.["term"] ?? 0),
      termBefore: Number(before?.["term"] ?? 0),
      isWhole: whole?.["is_whole"] === true,
      entries: entriesIn(entries),
      head: headIn(head),
      canDrop: right?.["can_drop"] === true,
    };
  }

  /** One round trip. */
  async reached(): Promise<StoredTerm> {
    const [[row] = [], [head] = []] = await this.#run([
      `SELECT term FROM ${this.#table("installation")}`,
      this.#lastLine(),
    ]);
    return { term: Number(row?.["term"] ?? 0), head: headIn(head) };
  }

  #lastLine(): string {
    return `SELECT n, hash FROM ${this.#table("history")} ORDER BY n DESC LIMIT 1`;
  }

  async entries(): Promise<Map<string, string>> {
    const [[whole] = [], rows = []] = await this.#run([
      this.#agreement(),
      `SELECT key, value FROM ${this.#table("state")}`,
    ]);
    if (whole?.["is_whole"] !== true) throw new DatabaseError(brokenState);
    return entriesIn(rows);
  }

  /** One round trip. */
  async lastEntries(keys: { readonly names: string; readonly values: string }): Promise<{
    readonly lines: readonly string[];
    readonly names: readonly string[];
    readonly values: ReadonlyMap<string, string>;
  }> {
    const history = this.#table("history");
    const named = (key: string, more: string): string =>
      `SELECT substr(key, ${key.length + 1}) AS name${more} FROM ${this.#table("state")} WHERE starts_with(key, ${literal(key)})`;
    const [lines = [], names = [], values = []] = await this.#run([
      // A quote in a value is escaped, so these marks are names of members. OFFSET 0: what begins a line is computed once.
      `WITH newest AS (
  SELECT n, left(line, ${beginning}) AS start
  FROM ${history} WHERE n > (SELECT max(n) FROM ${history}) - ${newestLines} OFFSET 0
), last AS (
  SELECT max(n) AS n FROM newest WHERE strpos(start, '","trigger":"') > 0
  GROUP BY split_part(split_part(start, '","zone":"', 2), '"', 1)
), sized AS (
  SELECT n, line, sum(octet_length(line)) OVER (ORDER BY n DESC) AS total FROM last JOIN ${history} USING (n)
)
SELECT line FROM sized WHERE total <= ${longestEntries} ORDER BY n`,
      named(keys.names, ""),
      named(keys.values, ", value"),
    ]);
    return {
      lines: lines.map(({ line }) => coerceText(line)),
      names: names.map(({ name }) => coerceText(name)),
      values: new Map(values.map(({ name, value }) => [coerceText(name), coerceText(value)])),
    };
  }

  async store({ term, changes, head, history, settles }: TermBatch): Promise<BatchResult> {
    const end = history?.lines.head ?? head;
    const row = await this.#row(
      `${this.#judgement(term, head, end)}${this.#stateChanges(changes)}${settles === true ? this.#mark(term) : ""}${this.#newLines(history)}
SELECT (SELECT count(*) FROM term) AS terms, (SELECT count(*) FROM may) AS may`,
    );
    if (Number(row["terms"]) !== 1) return "term_over";
    return Number(row["may"]) === 1 ? "stored" : "other_head";
  }

  /**
   * Whether the term goes on and the history ends as the leader left it, or already with the lines of this batch. The shared
   * lock makes the next leader wait until the transaction has ended.
   */
  #judgement(term: number, start: StoredHead, end: StoredHead): string {
    const atStart = `n = ${start.n} AND hash = ${literal(start.hash)}`;
    return `WITH term AS MATERIALIZED (
  SELECT 1 FROM ${this.#table("installation")} WHERE term = ${term} FOR SHARE
), head AS MATERIALIZED (
  ${this.#lastLine()}
), at AS (
  SELECT n, hash FROM head UNION ALL SELECT 0, '' WHERE NOT EXISTS (SELECT FROM head)
), may AS MATERIALIZED (
  SELECT ${atStart} AS is_new FROM at, term
  WHERE (${atStart}) OR (n = ${end.n} AND hash = ${literal(end.hash)})
)`;
  }

  #stateChanges(changes: readonly KeyChange[]): string {
    const set = changes.filter((change): change is [string, string] => change[1] !== null);
    const removed = changes.filter(([, text]) => text === null).map(([key]) => key);
    const keys = literals(set.map(([key]) => key));
    const values = literals(set.map(([, text]) => text));
    const state = this.#table("state");
    return `, put AS (
  INSERT INTO ${state} (key, value)
  SELECT key, value FROM may, unnest(${keys}, ${values}) AS new (key, value)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value
), gone AS (
  DELETE FROM ${state} WHERE key = ANY (${literals(removed)}) AND EXISTS (SELECT FROM may)
)`;
  }

  /** What was lost is known now. */
  #mark(term: number): string {
    return `, mark AS (
  INSERT INTO ${this.#table("state")} (key, value) SELECT '${termKey}', ${term} FROM may
  ON CONFLICT (key) DO UPDATE SET value = excluded.value
)`;
  }

  #newLines(history: HistoryBatch | undefined): string {
    if (history === undefined) return "";
    const { lines, drop } = history;
    const table = this.#table("history");
    const numbers = lines.lines.map(({ head }) => head.n).join(",");
    const hashes = literals(lines.lines.map(({ head }) => head.hash));
    const texts = literals(lines.lines.map(({ text }) => text.slice(0, -1)));
    const added = `, lines AS (
  INSERT INTO ${table} (n, hash, line)
  SELECT new.n, new.hash, new.line
  FROM may, unnest(ARRAY[${numbers}]::bigint[], ${hashes}, ${texts}) AS new (n, hash, line)
  WHERE may.is_new
)`;
    const dropped = `, dropped AS (
  DELETE FROM ${table} WHERE n IN (SELECT n FROM ${table} ORDER BY n LIMIT ${drop?.lines ?? 0})
    AND EXISTS (SELECT FROM may WHERE is_new)
)`;
    return `${added}${drop === undefined ? "" : dropped}`;
  }

  async storeMeasurements({
    term,
    day,
    records,
    dropBefore = "-infinity",
  }: MeasurementBatch): Promise<"stored" | "term_over"> {
    const table = this.#table("measurement");
    const entries = [...records];
    const zones = literals(entries.map(([zone]) => zone));
    const texts = literals(entries.map(([, text]) => text));
    const { terms } = await this.#row(
      `WITH term AS MATERIALIZED (
  SELECT 1 FROM ${this.#table("installation")} WHERE term = ${term} FOR SHARE
), put AS (
  INSERT INTO ${table} (day, zone, record)
  SELECT ${literal(day)}::date, new.zone, new.record FROM term, unnest(${zones}, ${texts}) AS new (zone, record)
  ON CONFLICT (day, zone) DO UPDATE SET record = excluded.record
), gone AS (
  DELETE FROM ${table} WHERE day < ${literal(dropBefore)}::date AND EXISTS (SELECT FROM term)
)
SELECT count(*) AS terms FROM term`,
    );
    return Number(terms) === 1 ? "stored" : "term_over";
  }

  async measurement(day: string, zone: string): Promise<string | undefined> {
    const { record } = await this.#row(
      `SELECT record FROM ${this.#table("measurement")} WHERE day = ${literal(day)}::date AND zone = ${literal(zone)}`,
    );
    return typeof record === "string" ? record : undefined;
  }

  async measurements(day: string, after: string): Promise<ReadonlyMap<string, string>> {
    const [rows = []] = await this.#run([
      `SELECT zone, record FROM ${this.#table("measurement")} WHERE day = ${literal(day)}::date AND zone > ${literal(after)} ORDER BY zone LIMIT ${recordsOfPage}`,
    ]);
    return new Map(rows.map(({ zone, record }) => [coerceText(zone), coerceText(record)]));
  }

  async measuredDays(): Promise<readonly string[]> {
    const [rows = []] = await this.#run([
      `SELECT DISTINCT day::text AS day FROM ${this.#table("measurement")} ORDER BY day`,
    ]);
    return rows.map(({ day }) => coerceText(day));
  }

  async historyBytes(): Promise<number> {
    const { bytes } = await this.#row(
      `SELECT coalesce(sum(octet_length(line) + 1), 0) AS bytes FROM ${this.#table("history")}`,
    );
    return Number(bytes);
  }

  async *historyLines(): AsyncGenerator<Uint8Array> {
    let last = 0;
    for (;;) {
      const [rows = []] = await this.#run([
        `SELECT n, hash, line FROM ${this.#table("history")} WHERE n > ${last} ORDER BY n LIMIT ${linesOfPage}`,
      ]);
      if (rows.length === 0) return;
      yield Buffer.from(rows.map((row) => `${lineIn(row)}\n`).join(""));
      last = Number(rows.at(-1)?.["n"]);
    }
  }
}

function entriesIn(rows: Rows): Map<string, string> {
  const entries = new Map(rows.map(({ key, value }) => [coerceText(key), coerceText(value)]));
  entries.delete(termKey);
  return entries;
}

/** The line of a row. If the other columns contradict it, they become a part of it: it then counts as changed. */
function lineIn({ n, hash, line }: Rows[number]): string {
  const text = coerceText(line);
  const row = { n: coerceText(n), hash: coerceText(hash) };
  const seal = sealOf(Buffer.from(text));
  // A line without a seal counts as damaged anyway.
  if (seal === undefined || (String(seal.n) === row.n && seal.hash === row.hash)) return text;
  const at = text.lastIndexOf(',"hash":');
  return `${text.slice(0, at)},"row":${JSON.stringify(row)}${text.slice(at)}`;
}

function headIn(row: Rows[number] | undefined): StoredHead {
  return row === undefined
    ? { n: 0, hash: "" }
    : { n: Number(row["n"]), hash: coerceText(row["hash"]) };
}
