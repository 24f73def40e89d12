import { describe, it } from "vitest";

import { logDiagnostics, logLoad, logZone } from "../../src/telemetry/log/log-reports.ts";
import type { Diagnostic } from "../../src/zone/diagnostic.ts";
import { held, shop } from "../support/fleets.ts";
import { book } from "../support/log-book.ts";
import { change, diagnostic, load, report } from "../support/reports.ts";

describe("the format for a terminal", () => {
  it("puts the message first, facts behind it and lists below", async ({ expect }) => {
    const { logger, text } = book({ format: "pretty" });
    const edited = change("policy/a", "strengthens", {
      fields: [
        { field: "action", before: "log", after: "allow" },
        { field: "value", before: undefined, after: "script-src 'self'" },
      ],
    });
    logZone(
      logger,
      report(shop, 1, { result: "applied", cause: "drift", changes: [edited] }),
      () => "shops",
    );
    logZone(logger, report(shop, 2, held("weakening")), () => "shops");
    logDiagnostics(logger, [diagnostic()]);
    logLoad(logger, load({ result: "partial", diagnostics: [diagnostic()] }));
    await expect(text()).toMatchFileSnapshot("../golden/log-pretty.txt");
  });

  it("uses colours only on request", ({ expect }) => {
    const plain = book({ format: "pretty" });
    plain.logger.warn("held");
    expect(plain.text()).toBe("10:00:00 WARN  held\n");
    const coloured = book({ format: "pretty", color: true });
    coloured.logger.warn("held");
    expect(coloured.text()).toContain("\u001b[33mWARN");
  });

  it("puts the stack of an internal error below it", ({ expect }) => {
    const { logger, text } = book({ format: "pretty" });
    logger.error({ err: new Error("lost"), zone: shop }, "internal error");
    const [first, second, third] = text().split("\n");
    expect(first).toBe("10:00:00 ERROR internal error zone=shop.example.com");
    expect(second).toBe("               Error: lost");
    expect(third).toMatch(/^ {19}at /);
  });

  it("keeps a text of the service from steering the terminal", ({ expect }) => {
    const { logger, text } = book({ format: "pretty" });
    const hostile: Partial<Diagnostic> = { message: "\u001b[2Jgone\nFAKE" };
    logDiagnostics(logger, [diagnostic(hostile)]);
    expect(text()).not.toContain("\u001b");
    expect(text()).toContain("diagnostic=\\u{1b}[2Jgone\\u{a}FAKE");
  });
});
