import { describe, it } from "vitest";

import { startProgress, startReading } from "../../src/cli/output/progress.ts";
import { tableText } from "../../src/cli/output/table.ts";
import { hasColor, type Host, type TextStream } from "../../src/host/host.ts";
import { SimulatedClock } from "../support/clock.ts";
import { hostIn } from "../support/command-line.ts";
import { exampleWithEmulator } from "../support/example.ts";

/** A stream that remembers what was written to it. */
function streamTo(pieces: string[], isTTY: boolean): TextStream {
  return { isTTY, write: (text) => pieces.push(text) };
}

function hostWith(env: Host["env"]): Host {
  return hostIn("/", { env });
}

describe("colour", () => {
  it.for<{ env: Host["env"]; terminal: boolean; pipe: boolean }>([
    { env: {}, terminal: true, pipe: false },
    { env: { TERM: "xterm" }, terminal: true, pipe: false },
    { env: { TERM: "dumb" }, terminal: false, pipe: false },
    { env: { NO_COLOR: "1" }, terminal: false, pipe: false },
    { env: { NO_COLOR: "" }, terminal: true, pipe: false },
    { env: { FORCE_COLOR: "1" }, terminal: true, pipe: true },
    { env: { FORCE_COLOR: "1", TERM: "dumb" }, terminal: true, pipe: true },
    { env: { FORCE_COLOR: "0" }, terminal: true, pipe: false },
    { env: { FORCE_COLOR: "" }, terminal: true, pipe: false },
    { env: { NO_COLOR: "1", FORCE_COLOR: "1" }, terminal: false, pipe: false },
  ])(
    "with $env: on a terminal $terminal, in a pipe $pipe",
    ({ env, terminal, pipe }, { expect }) => {
      const host = hostWith(env);
      expect(hasColor(host, streamTo([], true))).toBe(terminal);
      expect(hasColor(host, streamTo([], false))).toBe(pipe);
    },
  );

  it("is in the output of a command only where it is wanted", async ({ expect }) => {
    const token = { ZONEWARDEN_API_TOKEN: "emulator-token" };
    for (const [env, isColored] of [
      [token, false],
      [{ ...token, FORCE_COLOR: "1" }, true],
    ] as const) {
      await using example = await exampleWithEmulator({ ports: { env } });
      const { stdout } = await example.place.run("plan");
      expect(stdout.includes("\u{1b}[")).toBe(isColored);
    }
  });
});

const clear = "\r\u{1b}[2K";

/** What is written while each of so many steps takes so long. */
async function written(isTTY: boolean, total: number, stepMs: number): Promise<readonly string[]> {
  const pieces: string[] = [];
  const clock = new SimulatedClock();
  using progress = startProgress("read", total, { stderr: streamTo(pieces, isTTY), clock });
  for (let step = 0; step < total; step += 1) {
    await clock.advance(stepMs);
    progress.step();
  }
  return pieces;
}

describe("a progress line", () => {
  it.for([
    { isTTY: true, total: 3, lines: ["read 0/3", "read 1/3", "read 2/3", ""] },
    { isTTY: true, total: 1, lines: [] },
    { isTTY: true, total: 0, lines: [] },
    { isTTY: false, total: 3, lines: [] },
  ])("of $total on a terminal ($isTTY) says $lines", ({ isTTY, total, lines }, { expect }) => {
    const pieces: string[] = [];
    {
      const host = { stderr: streamTo(pieces, isTTY), clock: new SimulatedClock() };
      using progress = startProgress("read", total, host);
      progress.step();
      progress.step();
    }
    expect(pieces).toEqual(lines.map((line) => `${clear}${line}`));
  });

  it("of many steps says on a terminal how long the rest will take", async ({ expect }) => {
    const lines = await written(true, 100, 2_000);
    expect(lines.slice(4, 7)).toEqual([
      `${clear}read 4/100`,
      `${clear}read 5/100, about 3 min 10 s left`,
      `${clear}read 6/100, about 3 min 8 s left`,
    ]);
    expect(lines.slice(-2)).toEqual([`${clear}read 100/100`, clear]);
  });

  it("of many steps is a line every half minute in a pipe", async ({ expect }) => {
    expect(await written(false, 40, 2_000)).toEqual([
      "read 15/40, about 50 s left\n",
      "read 30/40, about 20 s left\n",
    ]);
    expect(await written(false, 20, 60_000)).toEqual([]);
    expect(await written(false, 400, 10)).toEqual([]);
  });

  it.for([
    { isTTY: true, lines: ["shop: scripts 50/120", "shop: scripts 100", ""] },
    { isTTY: false, lines: [] },
  ])("of a long list on a terminal ($isTTY) says $lines", ({ isTTY, lines }, { expect }) => {
    const pieces: string[] = [];
    {
      using reading = startReading("shop: scripts", streamTo(pieces, isTTY));
      reading.report(50, 120);
      reading.report(100, undefined);
    }
    expect(pieces).toEqual(lines.map((line) => `${clear}${line}`));
  });
});

describe("a table", () => {
  it("aligns its columns by the width on a terminal", ({ expect }) => {
    const rows = [
      ["例え", "1"],
      ["e\u0301clair", "2"],
      ["", "3"],
    ];
    expect(tableText({ head: ["name", "id"], rows })).toBe(
      ["NAME    ID", "例え    1", "e\u0301clair  2", "        3"].join("\n"),
    );
  });
});
