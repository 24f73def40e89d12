import { literal } from "./sql-connection.ts";

/** Statements that bring the tables from one version to the next; `schema` is an identifier in SQL. */
export type Migration = (schema: string) => string;

/**
 * All migrations, oldest first. They only go forward: a program that knows fewer versions than the tables have refuses
 * them.
 */
export const migrations: readonly Migration[] = [
  (schema) => `
CREATE TABLE ${schema}.installation (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  version integer NOT NULL,
  owner text NOT NULL DEFAULT '',
  service text NOT NULL DEFAULT '',
  term bigint NOT NULL DEFAULT 0
);
INSERT INTO ${schema}.installation (version) VALUES (0);
CREATE TABLE ${schema}.lease (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  version bigint NOT NULL DEFAULT 0,
  holder text NOT NULL DEFAULT '',
  duration_ms bigint NOT NULL DEFAULT 0,
  transitions bigint NOT NULL DEFAULT 0,
  installation text NOT NULL DEFAULT '',
  renewed text NOT NULL DEFAULT '',
  -- Nobody held it before, so the first process need not wait.
  released_by text NOT NULL DEFAULT 'nobody',
  page text NOT NULL DEFAULT ''
);
INSERT INTO ${schema}.lease DEFAULT VALUES;
CREATE TABLE ${schema}.state (
  key text PRIMARY KEY,
  value text NOT NULL
);
CREATE TABLE ${schema}.history (
  n bigint PRIMARY KEY,
  hash text NOT NULL,
  line text NOT NULL
);`,
  (schema) => `
CREATE TABLE ${schema}.measurement (
  day date NOT NULL,
  zone text NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (day, zone)
);`,
  (schema) => `
ALTER TABLE ${schema}.installation ADD COLUMN id text NOT NULL DEFAULT gen_random_uuid();
UPDATE ${schema}.installation SET id = value FROM ${schema}.state WHERE key = 'store-id';
DELETE FROM ${schema}.state WHERE key = 'store-id';
INSERT INTO ${schema}.state (key, value) SELECT '${termKey}', term FROM ${schema}.installation;`,
];

/**
 * The key in the state of the last term, which the table `installation` has too: where they differ, one of the two tables
 * was restored or emptied without the other. It is no entry of the state.
 */
export const termKey = "store-term";

/**
 * Writes the next term into a state that has the term before it. One that has another stays as it is, until what follows
 * from its loss is stored.
 *
 * @param next in SQL.
 */
export function markStateSql(schema: string, next: string): string {
  return `UPDATE ${schema}.state SET value = ${next} FROM ${schema}.installation
WHERE key = '${termKey}' AND value = term::text`;
}

/**
 * The statements that bring tables of a version, 0 for none, to that of the last migration, in one transaction. They fail
 * if another process was first, and end the term of a leader: it may be an older program.
 */
export function migrationSql(from: number, schema: string, all: readonly Migration[]): string {
  const quoted = quotedName(schema);
  const steps = all.slice(from).map((step) => step(quoted));
  const end = `${markStateSql(quoted, "term + 1")};
UPDATE ${quoted}.installation SET version = ${all.length}, term = term + 1`;
  if (from === 0) return [createSchema(schema, ""), ...steps, end].join("\n");
  const judge = `LOCK TABLE ${quoted}.installation IN ACCESS EXCLUSIVE MODE;
DO $do$
BEGIN
  IF (SELECT version FROM ${quoted}.installation) <> ${from} THEN
    RAISE EXCEPTION 'another process migrated the tables';
  END IF;
END $do$;`;
  return [judge, ...steps, end].join("\n");
}

/** Creates a schema that does not exist. `IF NOT EXISTS` of the server asks for the right to create one even if it does. */
function createSchema(schema: string, authorization: string): string {
  const quoted = quotedName(schema);
  return `DO $do$
BEGIN
  IF to_regnamespace(${literal(quoted)}) IS NULL THEN
    CREATE SCHEMA ${quoted}${authorization};
  END IF;
END $do$;`;
}

/** Who may do what in the tables of an installation. */
export interface StoreRoles {
  /** Creates and changes the tables, and drops the oldest lines of the history. */
  readonly owner: string;
  /** The daemon, and the commands that write. */
  readonly writer: string;
  /** The commands that only read. */
  readonly reader: string;
}

/**
 * The statements with which an administrator of the database gives three roles their rights: as often as wanted, before
 * the tables exist and after. The writer can change no line of the history.
 *
 * @param roles three different ones: what a role has as the writer or reader is exactly what is said here.
 */
export function grantsSql(schema: string, { owner, writer, reader }: StoreRoles): string {
  const [tables, o, w, r] = [schema, owner, writer, reader].map(quotedName);
  const isThere = (table: string): string =>
    `to_regclass(${literal(`${tables}.${table}`)}) IS NOT NULL`;
  // Named, as a schema can have tables of other programs.
  const onlyReads = (...names: readonly string[]): string => {
    const all = names.map((name) => `${tables}.${name}`).join(", ");
    return `REVOKE ALL ON ${all} FROM PUBLIC, ${w}, ${r};
    GRANT SELECT ON ${all} TO ${w}, ${r};`;
  };
  return `-- Run this as an administrator of the database: before the first "zonewarden store migrate", and again after each
-- one that changed the tables. It creates no roles: use CREATE ROLE ... LOGIN PASSWORD ... before.
BEGIN;
${createSchema(schema, ` AUTHORIZATION ${o}`)}
GRANT USAGE, CREATE ON SCHEMA ${tables} TO ${o};
GRANT USAGE ON SCHEMA ${tables} TO ${w}, ${r};
DO $do$
BEGIN
  IF ${isThere("history")} THEN
    ${onlyReads("installation", "lease", "state", "history")}
    GRANT UPDATE ON ${tables}.installation TO ${w};
    GRANT INSERT, UPDATE ON ${tables}.lease TO ${w};
    GRANT INSERT, UPDATE, DELETE ON ${tables}.state TO ${w};
    GRANT INSERT ON ${tables}.history TO ${w};
    IF ${isThere("measurement")} THEN
      ${onlyReads("measurement")}
      GRANT INSERT, UPDATE, DELETE ON ${tables}.measurement TO ${w};
    END IF;
  ELSE
    RAISE NOTICE 'there are no tables yet: run "zonewarden store migrate" with the URL of the owner, then this once more';
  END IF;
END $do$;
COMMIT;
`;
}

/** An identifier in SQL. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
