import { describe, it } from "vitest";

import { Budget, type Pause } from "../../src/api/budget/budget.ts";
import { WaitLines } from "../../src/cli/output/progress.ts";
import { defaultBudget } from "../support/budget.ts";
import { SimulatedClock } from "../support/clock.ts";
import { exampleWithEmulator } from "../support/example.ts";

/** What a command writes to stderr while it waits. */
function watcher(isTTY: boolean): {
  readonly clock: SimulatedClock;
  readonly lines: WaitLines;
  readonly written: readonly string[];
} {
  const clock = new SimulatedClock();
  const written: string[] = [];
  const stderr = { isTTY, write: (text: string) => written.push(text) };
  return { clock, lines: new WaitLines({ clock, stderr }), written };
}

const clear = "\r\u{1b}[2K";

describe("a command that waits", () => {
  it("prints in a pipe once until when, and why", async ({ expect, signal }) => {
    const { clock, lines, written } = watcher(false);
    const budget = new Budget({ ...defaultBudget, limit: 2, reserve: 0 }, clock);
    using _watch = lines.watch([
      {
        get state() {
          return { name: "main", pause: budget.state.pause };
        },
      },
    ]);
    for (let round = 0; round < 4; round += 1) {
      void budget.acquire("changed", signal).then((permit) => permit.end("answered", undefined));
    }
    await clock.advance(299_000);
    const line = "UTC: the request budget of the credential main is exhausted\n";
    expect(written).toEqual([`waiting until 12:05:00 ${line}`]);
    await clock.advance(400_000);
    expect(written).toHaveLength(1);
    budget.pauseFor(60_000);
    await clock.advance(60_000);
    expect(written[1]).toBe(
      "waiting until 12:12:39 UTC: the service rate limits the credential main (429)\n",
    );
    expect(written).toHaveLength(2);
  });

  it("prints it on a terminal in a line that is erased afterwards", async ({ expect }) => {
    const { clock, lines, written } = watcher(true);
    let pause: Pause | undefined = {
      until: new Date("2026-11-20T12:00:30Z"),
      reason: "unreachable",
    };
    using _watch = lines.watch([
      {
        get state() {
          return { name: "main", pause };
        },
      },
    ]);
    await clock.advance(10_000);
    pause = undefined;
    lines.request();
    await clock.advance(10_000);
    expect(written).toEqual([
      `${clear}waiting until 12:00:30 UTC: the service is unreachable; one request at a time probes it`,
      clear,
    ]);
  });

  it("prints a retry only where the wait is long", ({ expect }) => {
    const { lines, written } = watcher(false);
    const fact = { endpoint: "/zones", method: "GET", credential: "main" } as const;
    lines.retry({ ...fact, code: 503, waitMs: 2_000 });
    lines.retry({ ...fact, code: 503, waitMs: 130_000 });
    lines.retry({ ...fact, code: 429, waitMs: 130_000 });
    expect(written).toEqual(["waiting 2 min 10 s: GET /zones is retried (503)\n"]);
  });

  it("is printed on stderr while the budget is exhausted, after what the command reads", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    const requests = 8;
    await using example = await exampleWithEmulator({
      config: `budget: { requests: ${requests}, window: 5s, reserve: 0 }`,
      ports: { clock },
    });
    const { code, stdout, stderr } = await clock.run(
      example.place.run("plan"),
      () => example.emulator.journal().length === requests,
    );
    expect(code, stderr).toBe(2);
    expect(stderr).toMatch(
      /\nreading 3 zones: 13 requests, 5 s within the request budget\nwaiting until \d\d:\d\d:\d\d UTC: the request budget .* is exhausted\n$/,
    );
    expect(stdout).not.toContain("waiting");
  });
});
