import { describe, it } from "vitest";

import { uncheckedScriptsLog } from "../../src/telemetry/log/log-scripts.ts";
import { book } from "../support/log-book.ts";

describe("the log of declared scripts that are not checked", () => {
  it("warns once, until the zones are others, and says when they are checked", ({ expect }) => {
    const { logger, lines } = book();
    const tell = uncheckedScriptsLog(logger);
    const [shop, blog] = ["shop.example.com", "blog.example.com"];
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
