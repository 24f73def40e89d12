import { describe, it } from "vitest";

import type { AuditSource } from "../../src/audit/account-log.ts";
import { followAudit } from "../../src/daemon/audit-following.ts";
import { RunningConfig } from "../../src/daemon/config-reload.ts";
import { MemoryStore } from "../../src/memory/memory-store.ts";
import { remember, zoneKeys } from "../../src/memory/state-keys.ts";
import { StoredRuns } from "../../src/memory/stored-runs.ts";
import type { AuditRead } from "../../src/zone/audit-entry.ts";
import { auditEntry, zoneWithId } from "../support/audit-entries.ts";
import { setting } from "../support/audited-changes.ts";
import { alice, writeOfSetting, zone } from "../support/author-runs.ts";
import { SimulatedClock } from "../support/clock.ts";
import { configFrom, loadedFrom } from "../support/config-from.ts";
import { book } from "../support/log-book.ts";
import { at, planOf, report } from "../support/reports.ts";

const config = "mode: enforce\naudit: { enabled: true, every: 60s, actors: full }";

const shop = zoneWithId(zone, 1);

/** A log that is read once a minute, which a test writes. */
async function following(signal: AbortSignal) {
  const [clock, store, log] = [new SimulatedClock(at(0)), new MemoryStore(), book()];
  const runningConfig = new RunningConfig(await configFrom(config));
  let next: AuditRead | Error = { entries: [], malformed: 0, isCut: false };
  const audit: AuditSource = {
    isOwnToken: (id) => id === "our-token",
    credentialOf: () => "main",
    sentWrites: () => ({ writes: [], completeSince: at(0) }),
    isDenied: () => false,
    read: () => (next instanceof Error ? Promise.reject(next) : Promise.resolve(next)),
  };
  remember(store, zoneKeys.rays, ["8f2a"], zone);
  const told: unknown[] = [];
  const { feed, authors } = followAudit(
    runningConfig,
    { audit },
    { clock },
    log.logger,
    new StoredRuns(store),
    () => undefined,
    (notification) => told.push(notification),
  );
  feed.declare([shop]);
  void feed.runUntil(signal);
  const nextRead = async (read: AuditRead | Error): Promise<void> => {
    next = read;
    await clock.advance(60_000);
  };
  return { nextRead, authors, runningConfig, told, lines: log.lines };
}

describe("a daemon that follows the audit log", () => {
  it("says what it does not understand, what is not ours, and that the program has an error", async ({
    expect,
    signal,
  }) => {
    const { nextRead, lines, told } = await following(signal);
    const actor = { type: "account", context: "", email: "", tokenId: "our-token", tokenName: "" };
    const entries = ["8f2a-FRA", "9c1e-FRA", "77b0-FRA"].map((ray) =>
      auditEntry({ id: ray, ray, actor, at: at(0) }),
    );
    const elsewhere = auditEntry({ id: "later", actor, at: at(1) });
    await nextRead({ entries: [...entries, elsewhere], malformed: 3, isCut: false });
    await nextRead(new TypeError("not a function"));
    // The first of the entries is of a request that the state knows.
    expect(lines()).toMatchObject([
      { level: "info", accounts: { following: 1 } },
      { level: "warn", account: shop.zone.accountId, count: 3 },
      { level: "info", count: 2 },
      { level: "warn", msg: "token used elsewhere", at: at(1).toISOString() },
      { level: "warn", reason: "not a function" },
      { level: "error", err: { message: "not a function" } },
    ]);
    expect(told).toMatchObject([{ reason: "TokenUsedElsewhere", at: at(1), run: undefined }]);
  });
});

describe("who made the drift of a zone", () => {
  it("is named as long as the audit log is followed", async ({ expect, signal }) => {
    const { nextRead, authors, runningConfig } = await following(signal);
    const names = (): readonly unknown[] =>
      authors
        .explain(planOf(zone, [setting]), undefined)
        .changes.flatMap((change) => change.authors ?? [])
        .map(({ name }) => name);
    authors.record(report(zone, 0, { result: "in_sync" }), undefined);
    await nextRead({ entries: [writeOfSetting(1)], malformed: 0, isCut: false });
    expect(names()).toEqual([alice]);
    runningConfig.update(await loadedFrom("mode: enforce"));
    expect(names()).toEqual([]);
  });
});
