import { describe, it } from "vitest";

import { recentRecords } from "../../src/daemon/recent-records.ts";
import type { MeasurementReader } from "../../src/measure/measurement-store.ts";
import { SimulatedClock } from "../support/clock.ts";
import { zoneNamed } from "../support/model.ts";

const { name: shop } = zoneNamed("shop.example");
const { name: blog } = zoneNamed("blog.example");

/** A reader whose records say how often it was read, and what it was asked. */
function countingReader(): Pick<MeasurementReader, "read"> & {
  readonly asked: string[];
  fails: boolean;
} {
  const asked: string[] = [];
  return {
    asked,
    fails: false,
    read(day, zone) {
      asked.push(`${day} ${zone}`);
      if (this.fails) return Promise.reject(new Error("the disk failed"));
      return Promise.resolve(`${asked.length}`);
    },
  };
}

describe("the records that pages show", () => {
  it("are read once a minute for each zone and day, also by several at once", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    const reader = countingReader();
    const recent = recentRecords(reader, clock);
    const days = ["2026-11-20", "2026-11-21"] as const;
    const readAll = (): Promise<readonly (string | undefined)[]> =>
      Promise.all([...days, ...days].map((day) => recent.read(day, shop)));
    expect(await readAll()).toEqual(["1", "2", "1", "2"]);
    expect(await recent.read("2026-11-20", blog)).toBe("3");
    expect(reader.asked).toEqual([
      "2026-11-20 shop.example",
      "2026-11-21 shop.example",
      "2026-11-20 blog.example",
    ]);
    await clock.advance(59_999);
    expect(await readAll()).toEqual(["1", "2", "1", "2"]);
    await clock.advance(1);
    expect(await readAll()).toEqual(["4", "5", "4", "5"]);
  });

  it("are asked for again if they could not be read", async ({ expect }) => {
    const reader = countingReader();
    const recent = recentRecords(reader, new SimulatedClock());
    reader.fails = true;
    await expect(recent.read("2026-11-20", shop)).rejects.toThrow("the disk failed");
    reader.fails = false;
    expect(await recent.read("2026-11-20", shop)).toBe("2");
  });

  it("are not kept without bound: the one that was read longest ago makes room", async ({
    expect,
  }) => {
    const [reader, clock] = [countingReader(), new SimulatedClock()];
    const recent = recentRecords(reader, clock);
    const read = async (days: readonly number[]): Promise<void> => {
      for (const day of days) await recent.read(`day ${day}`, shop);
    };
    await read([0, 1]);
    await clock.advance(60_000);
    await read([...Array(2_000).keys()].slice(2));
    await read([1, 2_000, 2_001]);
    expect(reader.asked).toHaveLength(2_003);
    await read([1, 3]);
    expect(reader.asked).toHaveLength(2_003);
    await read([2]);
    expect(reader.asked).toHaveLength(2_004);
  });
});
