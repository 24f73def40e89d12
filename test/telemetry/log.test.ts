import { describe, it } from "vitest";

import { logDiagnostics, logLoad, logZone } from "../../src/telemetry/log/log-reports.ts";
import { uncheckedScriptsLog } from "../../src/telemetry/log/log-scripts.ts";
import { a, b, held, shop } from "../support/fleets.ts";
import { book, type Line } from "../support/log-book.ts";
import {
  type Came,
  change,
  diagnostic,
  done,
  failed,
  failure,
  fleetRefusal,
  heldLoad,
  load,
  lost,
  report,
  skipped,
  waiting,
} from "../support/reports.ts";

function linesOf(came: Came): readonly Line[] {
  const { logger, lines } = book();
  logZone(logger, report(shop, 1, came), () => "shops");
  return lines();
}

describe("a run in the log", () => {
  it.for<{ came: Came; says: readonly [string, string] }>([
    { came: { result: "in_sync" }, says: ["debug", "zone in sync"] },
    { came: { result: "error" }, says: ["warn", "reconcile failed"] },
    {
      came: { result: "error", failure: failure("403", { transient: false }) },
      says: ["error", "reconcile failed"],
    },
    {
      came: { result: "planned", cause: "drift", changes: [a] },
      says: ["error", "drift detected"],
    },
    {
      came: { result: "planned", cause: "drift", changes: [change("policy/a", "weakens")] },
      says: ["info", "drift detected"],
    },
    {
      came: { result: "planned", cause: "unknown", changes: [a] },
      says: ["info", "zone differs"],
    },
    {
      came: { result: "planned", cause: "pending", changes: [a] },
      says: ["info", "changes pending"],
    },
    { came: held("observe"), says: ["error", "drift detected"] },
    { came: held("weakening"), says: ["error", "plan held"] },
  ])("$came.result is one line: $says", ({ came, says }, { expect }) => {
    expect(linesOf(came).map(({ level, msg }) => [level, msg])).toEqual([says]);
  });

  it("has zone, run, trigger and revision on every line", ({ expect }) => {
    const lines = linesOf({ result: "applied", cause: "drift", changes: [a, b] });
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line).toMatchObject({
        time: "2026-11-21T10:00:00.000Z",
        zone: shop,
        run: "run-1",
        trigger: "schedule",
        revision: "8c9b6cfb5909a67682231d479f0f6b5da5aa4681",
      });
    }
  });

  it("has the planned changes and the holds", ({ expect }) => {
    expect(linesOf(held("weakening"))[0]).toMatchObject({
      planned: ["~ policy/a (enabled): strengthens"],
      holds: [{ reason: "weakening", message: "held: weakening" }],
    });
  });
});

describe("the audit of a write", () => {
  it("has credential, changes, cause and outcome", ({ expect }) => {
    const edited = change("policy/a", "strengthens", {
      fields: [{ field: "action", before: "log", after: "allow" }],
    });
    const [line] = linesOf({ result: "applied", cause: "drift", changes: [edited] });
    expect(line).toEqual({
      level: "info",
      time: "2026-11-21T10:00:00.000Z",
      msg: "write done",
      audit: true,
      credential: "shops",
      zone: shop,
      run: "run-1",
      trigger: "schedule",
      revision: "8c9b6cfb5909a67682231d479f0f6b5da5aa4681",
      cause: "drift",
      call: "update-policy",
      result: "done",
      changes: [
        {
          key: "policy/a",
          verb: "update",
          effect: "strengthens",
          fields: [{ field: "action", before: "log", after: "allow" }],
        },
      ],
      ray: "8f2b",
    });
  });

  it("exists for failed, unknown and skipped writes", ({ expect }) => {
    const lines = linesOf({
      result: "applied",
      cause: "drift",
      changes: [a, b, change("managed_rule/c"), change("managed_rule/d")],
      outcomes: [
        done("policy/a"),
        failed("policy/b"),
        lost("managed_rule/c"),
        waiting("managed_rule/d", "policy/b"),
      ],
    });
    expect(lines[3]).toMatchObject({ reason: "earlier_failure", waits_for: ["policy/b"] });
    expect(lines.map(({ level, msg, result }) => [level, msg, result])).toEqual([
      ["info", "write done", "done"],
      ["error", "write failed", "failed"],
      ["warn", "write outcome unknown", "unknown"],
      ["warn", "write skipped", "skipped"],
      ["error", "plan not fully applied", "partial"],
    ]);
    expect(lines[1]).toMatchObject({ code: "API_UNAVAILABLE", error: "PUT policies: 400" });
  });

  it("tells a plan that a shutdown stopped from one that was applied", ({ expect }) => {
    const outcomes = [done("policy/a"), skipped("shutdown", "managed_rule/c")];
    const changes = [a, change("managed_rule/c")];
    const lines = linesOf({ result: "applied", cause: "pending", changes, outcomes });
    expect(lines.at(-1)).toMatchObject({
      level: "info",
      msg: "plan not fully applied",
      result: "partial",
    });
  });

  it("has no body, and cuts long values", ({ expect }) => {
    const long = change("policy/a", "strengthens", {
      fields: [{ field: "value", before: undefined, after: "x".repeat(9_000) }],
    });
    const [line] = linesOf({ result: "applied", cause: "drift", changes: [long] });
    const text = JSON.stringify(line);
    expect(text).not.toContain("body");
    expect(text).toContain("… (9000 characters)");
    expect(text.length).toBeLessThan(5_000);
  });
});

describe("the files in the log", () => {
  it.for([
    { given: load(), says: { level: "info", msg: "revision applied", errors: 0, warnings: 0 } },
    { given: load({ result: "unchanged" }), says: { level: "debug", msg: "revision unchanged" } },
    {
      given: load({
        result: "partial",
        diagnostics: [diagnostic(), diagnostic(), diagnostic({ severity: "warning" })],
      }),
      says: {
        level: "warn",
        msg: "revision partially applied",
        errors: 2,
        warnings: 1,
        files: "shops.yaml",
      },
    },
    {
      given: heldLoad(),
      says: {
        level: "error",
        msg: "revision held",
        held: "sha256-0357424802a9",
        reason: "fleet_change",
        hold: fleetRefusal.message,
      },
    },
    {
      given: load({ result: "rejected", diagnostics: [diagnostic()] }),
      says: { level: "error", msg: "revision rejected", errors: 1, files: "shops.yaml" },
    },
  ])("a load that is $given.result has one line", ({ given, says }, { expect }) => {
    const { logger, lines } = book();
    logLoad(logger, given);
    expect(lines()).toMatchObject([{ ...says, result: given.result }]);
  });
});

describe("diagnostics in the log", () => {
  it("have a line for each error, and then one for each code of the warnings", ({ expect }) => {
    const warnings = ["a", "b", "c", "d", "e", "f", "g", "h", "a"].map((file) =>
      diagnostic({ severity: "warning", place: { file, line: 1, column: 1 } }),
    );
    const { logger, lines } = book();
    logDiagnostics(logger, [...warnings, diagnostic()]);
    expect(lines()).toMatchObject([
      {
        level: "error",
        msg: "file diagnostic",
        at: "shops.yaml:12:15",
        code: "SCHEMA_ENUM",
        diagnostic: '"blok" is no action of a policy.',
        remedy: 'Did you mean "log"?',
      },
      {
        level: "warn",
        msg: "file warnings",
        code: "SCHEMA_ENUM",
        count: 9,
        files: ["a", "b", "c", "d", "e"],
        more_files: 3,
      },
    ]);
  });
});

describe("the log of declared scripts that are not checked", () => {
  it("warns once, until the zones are others, and says when they are checked", ({ expect }) => {
    const { logger, lines } = book();
    const tell = uncheckedScriptsLog(logger);
    const blog = "blog.example.com";
    for (const zones of [[], [shop], [shop], [shop, blog], [], []]) tell(zones);
    const unchecked =
      "declared scripts are not checked: set inventory.enabled, with scripts in inventory.kinds";
    expect(lines().map(({ level, zones, first, msg }) => ({ level, zones, first, msg }))).toEqual([
      { level: "warn", zones: 1, first: shop, msg: unchecked },
      { level: "warn", zones: 2, first: shop, msg: unchecked },
      { level: "info", msg: "no declared scripts are left unchecked" },
    ]);
  });
});

describe("secrets", () => {
  const token = "zFh8Q~n0t-a-re4l-token_91";

  it.for([
    { where: "a message", write: `GET /zones with ${token}` },
    { where: "a field", write: { failure: `Bearer ${token}` } },
    { where: "a field of a field", write: { request: { headers: { "x-key": token } } } },
    { where: "a field that is always hidden", write: { token } },
    { where: "an error", write: new Error(`refused ${token}`) },
  ])("are never written, wherever they come from: $where", ({ write }, { expect }) => {
    for (const format of ["json", "pretty"] as const) {
      const { logger, text } = book({ format, scrub: (line) => line.replaceAll(token, "[token]") });
      logger.error(write);
      expect(text()).not.toContain(token);
      expect(text().length).toBeGreaterThan(20);
    }
  });

  it.for(["token", "authorization", "password", "secret"])(
    "in a field with the name %s are hidden, though no credential has them",
    (name, { expect }) => {
      const { logger, lines, text } = book();
      logger.info(
        { [name]: "unknown-value-1", request: { [name]: "unknown-value-2", path: "/zones" } },
        "sent",
      );
      expect(text()).not.toContain("unknown-value");
      expect(lines()).toMatchObject([
        { [name]: "[Redacted]", request: { path: "/zones", [name]: "[Redacted]" } },
      ]);
    },
  );

  it("are known anew for each line, since tokens are exchanged", ({ expect }) => {
    let newest = "first-token-1234";
    const { logger, text } = book({ scrub: (line) => line.replaceAll(newest, "[token]") });
    newest = "second-token-5678";
    logger.info({ with: "second-token-5678" }, "checked");
    expect(text()).toContain('"with":"[token]"');
  });

  it("that are not known are redacted after the word Bearer", ({ expect }) => {
    const { logger, text } = book();
    logger.info({ header: "Bearer abc.def" }, "checked");
    expect(text()).toContain('"header":"Bearer [token]"');
  });
});
