import { execFileSync } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import type { Host } from "../../src/host/host.ts";
import { dayRecordText } from "../../src/measure/day-record.ts";
import { openDirectoryStore } from "../../src/memory/directory/directory-store.ts";
import { nodeStateDirectory } from "../../src/memory/directory/state-directory.ts";
import { appliedText } from "../../src/plan/cause/applied-zone.ts";
import { type Ran, type Workplace, workplace } from "../support/command-line.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { fullDay } from "../support/full-day.ts";
import { headOf, type Kept, kept } from "../support/kept-history.ts";
import { noPostgres, sharedPostgres } from "../support/postgres.ts";

const identity = { owner: "zonewarden", service: "https://api.cloudflare.com/client/v4" };

interface Place extends Workplace {
  readonly head: string;
  readonly history: string;
  readonly database: string;
  /** Runs a command with the configuration of the database. */
  inDatabase(...args: readonly string[]): Promise<Ran>;
}

async function databaseOfTest(): Promise<{ readonly name: string; readonly url: string }> {
  if (noPostgres !== undefined) return { name: "", url: "" };
  return (await sharedPostgres()).createDatabase();
}

/** A place with a directory store that says something, and with an empty database. */
async function placeWith(options: Kept = {}, ports: Partial<Host> = {}): Promise<Place> {
  const { name, url } = await databaseOfTest();
  const place = await workplace({}, ports);
  const { bytes } = await kept(options);
  await place.write("zonewarden.yaml", "mode: observe\nstore: { path: state }\n");
  await place.write("db.yaml", "mode: observe\nstore: { postgres: { url_file: url } }\n");
  await place.write("url", url);
  await place.write("state/history.jsonl", bytes.toString());
  await storeState(place, "state", {
    "applied/shop.example.com": appliedText(new Map()),
    "drift/a.example": "2026-11-20T08:00:00.000Z",
  });
  return Object.assign(place, {
    head: headOf(bytes),
    history: bytes.toString(),
    database: name,
    inDatabase: (...args: readonly string[]) => place.run(...args, "-c", "db.yaml"),
  });
}

function silent(): void {
  // The state of these tests can be written.
}

async function storeState(
  { directory }: Workplace,
  at: string,
  entries: Readonly<Record<string, string>>,
): Promise<void> {
  await using store = await openDirectoryStore(identity, {
    directory: nodeStateDirectory(path.join(directory, at)),
    clock: systemClock,
    process: { pid: process.pid, hostName: "here", isRunning: () => true },
    uniqueId: () => crypto.randomUUID(),
    onFailure: silent,
    onRecovery: silent,
    onLost: silent,
  });
  for (const [key, text] of Object.entries(entries)) store.set(key, text);
}

describe("zonewarden store check", () => {
  it("says what is in a directory, and finds what is damaged", async ({ expect }) => {
    await using place = await placeWith();
    const { code, stdout, stderr } = await place.run("store", "check");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`store: the directory ${place.directory}/state
belongs to: zonewarden at ${identity.service}
lock: nobody holds it
state: 2 entries, all readable
history: 11 lines, intact, head ${place.head}, line 11 of the chain
`);
    await storeState(place, "state", { "drift/a.example": "yesterday", revision: "r1" });
    await place.write("state/history.jsonl", place.history.replace(/"found"/, '"done"'));
    const [first, second] = ["2026-11-19", "2026-11-20"].map((day) =>
      ["bank.example", "shop.example"].map((zone) => `${dayRecordText(fullDay(zone, day))}\n`),
    );
    await place.write("state/measurements/2026-11-19.jsonl", first?.join("") ?? "");
    const torn = `${second?.[0]}${second?.[1]?.replace("}", "")}`;
    await place.write("state/measurements/2026-11-20.jsonl", torn);
    const damaged = await place.run("store", "check");
    expect(damaged.code).toBe(5);
    expect(damaged.stdout).toContain("state: 3 entries, 2 damaged: drift/a.example, revision\n");
    expect(damaged.stdout).toContain("history: 11 lines, not intact (1 finding)");
    expect(damaged.stdout).toContain("measurements: 2 days, 1 damaged: 2026-11-20\n");
    await place.write("state/measurements/2026-11-20.jsonl", second?.join("") ?? "");
    const mended = await place.run("store", "check");
    expect(mended.stdout).toContain("measurements: 2 days, all readable\n");
    await place.write(
      "zonewarden.yaml",
      "mode: observe\nstore: { path: state }\ndesired: { owner: other }\n",
    );
    const foreign = await place.run("store", "check");
    expect(foreign.code, foreign.stderr).toBe(5);
    expect(foreign.stdout).toBe(`store: the directory ${place.directory}/state
lock: nobody holds it
state: cannot be used
history: 11 lines, not intact (1 finding), head ${place.head}, line 11 of the chain
measurements: 2 days, all readable
`);
    const all = [foreign, await place.run("history"), await place.run("measurements", "a.example")];
    for (const each of all) {
      expect(each.stderr).toMatch(/^.*: the state belongs to owner "zonewarden" at ".*"\n/);
    }
  });

  it("waits for no writer of a pipe in the place of the history", async ({ expect }) => {
    await using place = await placeWith();
    await place.remove("state");
    await mkdir(path.join(place.directory, "state"));
    execFileSync("mkfifo", [path.join(place.directory, "state/history.jsonl")]);
    for (const command of [["store", "check"], ["history"], ["history", "verify"]]) {
      const { code, stderr } = await place.run(...command);
      expect([command, code, stderr]).toEqual([
        command,
        1,
        expect.stringContaining("history.jsonl is no regular file"),
      ]);
    }
  });
});

describe("the URL of a database", () => {
  it.for(["s3cret/a", "12/s3cret", "s3#cret", "s3?cret"])(
    "may not have the password %s: its special characters are percent-encoded",
    async (password, { expect }) => {
      await using place = await workplace();
      await place.write("db.yaml", "mode: observe\nstore: { postgres: { url_file: url } }\n");
      await place.write("url", `postgres://zone:${password}@db.invalid:6432/zonewarden`);
      const { code, stderr } = await place.run("store", "check", "-c", "db.yaml");
      expect(code).toBe(1);
      expect(stderr).toContain("percent-encode special characters of the password: / as %2F");
      expect(stderr).not.toContain("cret");
    },
  );
});

const since = "2026-11-20T08:00:00.000Z";

describe("a history that is not there", () => {
  it.for([
    { key: "applied/a.example", text: appliedText(new Map()), code: 0, says: "none\n" },
    { key: "drift/a.example", text: since, code: 5, says: "0 lines, not intact (1 finding)\n" },
    { key: "pending/a.example", text: since, code: 5, says: "0 lines, not intact (1 finding)\n" },
    { key: "rays/a.example", text: '["7f3"]', code: 5, says: "0 lines, not intact (1 finding)\n" },
  ])(
    "beside a state with $key ends the check with $code",
    async ({ key, text, code, says }, { expect }) => {
      await using place = await workplace();
      await place.write("zonewarden.yaml", "mode: observe\nstore: { path: state }\n");
      await storeState(place, "state", { [key]: text });
      const check = await place.run("store", "check");
      expect(check.stdout).toContain(`all readable\nhistory: ${says}`);
      expect(check.code).toBe(code);
    },
  );
});

describe("zonewarden store copy", () => {
  it.for([
    { from: "missing", says: "is empty, or is not there" },
    { from: "files", says: "there is nothing to copy in" },
  ])("writes nothing if FROM is no store: $from", async ({ from, says }, { expect }) => {
    await using place = await placeWith();
    await place.write("files/readme.txt", "no store");
    const before = (await readdir(place.directory, { recursive: true })).toSorted();
    const { code, stderr } = await place.run("store", "copy", from, "to");
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    expect(stderr).toContain(`${place.directory}/${from}`);
    expect((await readdir(place.directory, { recursive: true })).toSorted()).toEqual(before);
  });

  it("into a directory that was interrupted leaves what nobody takes for a store", async ({
    expect,
  }) => {
    await using place = await placeWith();
    // As it is after a crash when the history was written, and the state not yet.
    await place.write("to/state.copying", "");
    await place.write("to/history.jsonl", place.history);
    const again = await place.run("store", "copy", "state", "to");
    expect(again.code).toBe(1);
    await place.write("zonewarden.yaml", "mode: observe\nstore: { path: to }\n");
    const check = await place.run("store", "check");
    expect(check.code).toBe(5);
    expect(check.stderr).toContain("was interrupted: empty the directory, and copy again");
    await expect(storeState(place, "to", {})).rejects.toThrow("was interrupted");
    expect((await readdir(path.join(place.directory, "to"))).toSorted()).toEqual([
      "history.jsonl",
      "state.copying",
    ]);
  });
});

describe.skipIf(noPostgres)(`zonewarden store with a database ${noPostgres ?? ""}`, () => {
  it("moves a directory into the database and back, with the same chain", async ({ expect }) => {
    await using place = await placeWith();
    const [today, yesterday] = ["2026-11-20", "2026-11-19"].map((day) =>
      ["bank.example", "shop.example"].map((zone) => `${dayRecordText(fullDay(zone, day))}\n`),
    );
    await place.write("state/measurements/2026-11-20.jsonl", today?.join("") ?? "");
    await place.write("state/measurements/2026-11-19.jsonl", yesterday?.[1] ?? "");
    // Nothing of a store.
    await place.write("state/measurements/2026-02-30.jsonl", today?.[0] ?? "");
    const missing = await place.inDatabase("store", "check");
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("run `zonewarden store migrate`");
    const made = await place.inDatabase("store", "migrate");
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toContain("created the tables: from version 0 to 3");
    const again = await place.inDatabase("store", "migrate");
    expect(again.stdout).toContain("the tables have version 3: nothing to do");
    const unused = await place.inDatabase("store", "check");
    expect(unused.code).toBe(0);
    expect(unused.stdout).toContain("belongs to: nobody yet\n");

    const none = await place.inDatabase("store", "copy", "postgres", "none");
    expect(none.stderr).toContain("there is nothing to copy in schema zonewarden");
    const server = await sharedPostgres();
    const claims = await server.query("SELECT owner FROM zonewarden.installation", place.database);
    expect(claims).toEqual([{ owner: "" }]);

    const there = await place.inDatabase("store", "copy", "state", "postgres");
    expect(there, there.stderr).toMatchObject({ code: 0 });
    expect(there.stdout).toContain(
      `copied 2 entries and 11 lines of history (head ${place.head}) and 2 days of measurements from`,
    );
    const check = await place.inDatabase("store", "check");
    expect(check.code).toBe(0);
    expect(check.stdout).toContain("belongs to: zonewarden at ");
    expect(check.stdout).toContain("leader: nobody\nstate: 2 entries, all readable\n");
    expect(check.stdout).toContain(`intact, head ${place.head}, line 11 of the chain`);
    const verified = await place.inDatabase("history", "verify", "--head", place.head);
    expect(verified).toMatchObject({ code: 0 });

    const full = await place.inDatabase("store", "copy", "state", "postgres");
    expect(full.code).toBe(1);
    expect(full.stderr).toContain("is not empty");
    await place.write("measured/measurements/2026-11-20.jsonl", today?.[0] ?? "");
    const measured = await place.inDatabase("store", "copy", "postgres", "measured");
    expect(measured.stderr).toContain("is not empty");
    const back = await place.inDatabase("store", "copy", "postgres", "back");
    expect(back, back.stderr).toMatchObject({ code: 0 });
    expect(await place.read("back/history.jsonl")).toBe(place.history);
    expect(await readdir(path.join(place.directory, "back"))).toEqual([
      "history.jsonl",
      "measurements",
      "state.jsonl",
    ]);
    expect(await readdir(path.join(place.directory, "back/measurements"))).toHaveLength(2);
    expect(await place.read("back/measurements/2026-11-20.jsonl")).toBe(today?.join(""));
    expect(await place.read("back/measurements/2026-11-19.jsonl")).toBe(yesterday?.[1]);
    await place.write("zonewarden.yaml", "mode: observe\nstore: { path: back }\n");
    const ofBack = await place.run("store", "check");
    expect(ofBack.stdout).toContain("state: 2 entries, all readable\nhistory: 11 lines, intact");
  });

  it("keeps the numbers of a history whose first lines were dropped", async ({ expect }) => {
    await using place = await placeWith({ entries: 30, maxBytes: 6_000 });
    await place.write("old.jsonl", place.history);
    await place.remove("state/history.jsonl");
    const { code, stderr } = await place.inDatabase(
      ..."store copy --history old.jsonl state postgres".split(" "),
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const verified = await place.inDatabase("history", "verify", "--head", place.head);
    expect(verified.code).toBe(0);
    const server = await sharedPostgres();
    const numbers = await server.query(
      "SELECT n FROM zonewarden.history ORDER BY n",
      place.database,
    );
    const [first = 0] = numbers.map(({ n }) => Number(n));
    expect(first).toBeGreaterThan(1);
    expect(numbers.map(({ n }) => Number(n))).toEqual(numbers.map((_, index) => first + index));
  });

  it.for([
    {
      when: "the history was changed",
      spoil: (place: Place) =>
        place.write("state/history.jsonl", place.history.replace(/"found"/, '"done"')),
      says: "is not as it was written",
    },
    {
      when: "a daemon leads",
      spoil: async ({ database }: Place) => {
        const server = await sharedPostgres();
        await server.query(
          `UPDATE zonewarden.lease SET version = 7, holder = 'pod-1', duration_ms = 60000, released_by = '', installation = 'zonewarden at ${identity.service}'`,
          database,
        );
      },
      says: "pod-1",
    },
    {
      when: "an earlier copy was interrupted",
      spoil: async ({ database }: Place) => {
        const server = await sharedPostgres();
        await server.query(
          "UPDATE zonewarden.installation SET service = 'an unfinished copy'",
          database,
        );
      },
      says: "was interrupted: drop the schema",
    },
    {
      when: "the database belongs to another installation",
      spoil: async ({ database }: Place) => {
        const server = await sharedPostgres();
        await server.query(
          "UPDATE zonewarden.installation SET owner = 'staging', service = 'x'",
          database,
        );
      },
      says: 'belongs to owner "staging"',
    },
  ])("copies nothing if $when", async ({ spoil, says }, { expect }) => {
    // The Lease of a leader that lives is waited for in vain.
    const clock = {
      ...systemClock,
      alarm: (_ms: number, run: () => void) => systemClock.alarm(1, run),
    };
    await using place = await placeWith({}, { clock });
    await place.inDatabase("store", "migrate");
    await spoil(place);
    const { code, stderr } = await place.inDatabase("store", "copy", "state", "postgres");
    expect(code).toBe(1);
    expect(stderr).toContain("nothing was copied");
    expect(stderr).toContain(says);
    const server = await sharedPostgres();
    const left = await server.query("SELECT key FROM zonewarden.state", place.database);
    expect(left.filter(({ key }) => key !== "store-term")).toEqual([]);
  });

  it("drops old lines as the owner, and not as the writer", async ({ expect }) => {
    const clock = { ...systemClock, now: () => new Date("2026-12-24T08:00:00.000Z") };
    await using place = await placeWith({}, { clock });
    const server = await sharedPostgres();
    const roles = ["owner", "writer", "reader"].map((role) => `${place.database}_${role}`);
    for (const role of roles) await server.query(`CREATE ROLE ${role} LOGIN`);
    const [owner = "", writer = "", reader = ""] = roles;
    const grants = async (): Promise<void> => {
      const asked = ["--owner", owner, "--writer", writer, "--reader", reader];
      const { code, stdout } = await place.inDatabase("store", "grants", ...asked);
      expect(code).toBe(0);
      await server.query(stdout, place.database);
    };
    await place.write("owner-url", server.url(place.database, owner));
    await place.write("url", server.url(place.database, writer));
    await grants();
    const early = await place.inDatabase("store", "migrate");
    expect(early.code).toBe(1);
    expect(early.stderr).toMatch(/may not create.*zonewarden store grants.*--url-file/);
    const asOwner = ["--url-file", "owner-url"];
    expect(await place.inDatabase("store", "migrate", ...asOwner)).toMatchObject({ code: 0 });
    await grants();
    expect(await place.inDatabase("store", "copy", "state", "postgres")).toMatchObject({ code: 0 });

    await place.write(
      "db.yaml",
      "mode: observe\nstore: { postgres: { url_file: url } }\nhistory: { max_age: 24h }\n",
    );
    const refused = await place.inDatabase("store", "trim");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("this role may not drop lines: name the URL of the owner");
    const missing = await place.inDatabase("store", "trim", "--url-file", "missing");
    expect(missing.stderr).toMatch(/its file cannot be read: [^:]*\n$/);
    await place.write("reader-url", server.url(place.database, reader));
    const asReader = await place.inDatabase("store", "trim", "--url-file", "reader-url");
    expect(asReader.stderr).toMatch(/permission denied for table lease: [^:]*\n$/);
    const trimmed = await place.inDatabase("store", "trim", ...asOwner);
    expect(trimmed, trimmed.stderr).toMatchObject({ code: 0 });
    const [, head = ""] = /its head is ([0-9a-f]{64})\n/.exec(trimmed.stdout) ?? [];
    const verified = await place.inDatabase("history", "verify", "--head", head);
    expect(verified.code, verified.stdout).toBe(0);
    const left = await server.query("SELECT n FROM zonewarden.history ORDER BY n", place.database);
    expect(left.map(({ n }) => Number(n))).toEqual([12]);
    const claimed =
      "SELECT FROM zonewarden.lease, zonewarden.installation WHERE installation LIKE '%' || id";
    expect(await server.query(claimed, place.database)).toHaveLength(1);
    await server.query("TRUNCATE zonewarden.state", place.database);
    const lost = await place.inDatabase("store", "check");
    expect([lost.code, lost.stdout]).toEqual([5, expect.stringContaining("state: cannot be used")]);
    expect(lost.stderr).toContain("restart the daemon");
    const again = await place.inDatabase("store", "trim", ...asOwner);
    expect(again.stdout).toContain("no line of the history is older than history.max_age");
  });

  it("says in its first line what plan cannot know without the database", async ({ expect }) => {
    await using example = await exampleWithEmulator({
      config: "store: { postgres: { url_file: url } }",
    });
    const { place } = example;
    await place.write("url", "postgres://nobody@127.0.0.1:1/nothing");
    const without = await place.run("plan");
    const text = await place.read("zonewarden.yaml");
    await place.write("zonewarden.yaml", text.replace(/^store:.*$/m, ""));
    const none = await place.run("plan");
    expect({ code: without.code, stdout: without.stdout }).toEqual({
      code: none.code,
      stdout: none.stdout,
    });
    expect(none.stderr).toMatch(/^there is no store\. Not known are: .*the adopted rules/);
    expect(without.stderr).toMatch(
      /^the store \(schema zonewarden of the database\) cannot be used: .*ECONNREFUSED.* Not known are: .*the adopted rules, a held revision/,
    );
    await place.write("zonewarden.yaml", text);
    const applied = await place.run("apply", "--yes");
    expect([applied.code, writesSeenBy(example.emulator)]).toEqual([1, []]);
  });
});
