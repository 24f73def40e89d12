import { setImmediate } from "node:timers/promises";

import { describe, it } from "vitest";

import { tokenChecks } from "../../src/daemon/token-checks.ts";
import { book } from "../support/log-book.ts";
import { zoneNamed } from "../support/model.ts";

describe("the checks of the tokens", () => {
  it("are made one at a time, also after one that fails, which the log says", async ({
    expect,
    signal,
  }) => {
    const [shop, blog] = [zoneNamed("shop.example"), zoneNamed("blog.example")];
    const answer = Promise.withResolvers<void>();
    const asked: unknown[] = [];
    const { logger, lines } = book({ level: "debug" });
    const verifyTokens = async (...args: readonly unknown[]): Promise<void> => {
      asked.push(args);
      await answer.promise;
    };
    const check = tokenChecks({ verifyTokens }, logger);
    check([shop], signal);
    check([shop, blog], signal);
    expect(asked).toEqual([[[shop], signal]]);

    answer.reject(new Error("no answer"));
    await setImmediate();
    check([blog], signal);
    expect(asked).toHaveLength(2);
    const told = {
      level: "debug",
      err: { message: "no answer" },
      msg: "tokens cannot be verified",
    };
    expect(lines()).toMatchObject([told]);
  });
});
