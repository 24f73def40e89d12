import { describe, it } from "vitest";

import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { eventually, startDaemon } from "../support/processes.ts";

describe("a daemon whose state directory another process took over", () => {
  it("ends, and writes neither a zone nor its history any more", async ({ expect }) => {
    await using example = await exampleWithEmulator({
      config: 'store: { path: state }\nschedule: { cron: "0 0 1 * *" }',
    });
    const { place, emulator } = example;
    await using daemon = await startDaemon(place.directory);
    await eventually("the zones are as declared", async () => {
      const ended = (await place.read("state/history.jsonl").catch(() => "")).split(
        '"result":"applied"',
      );
      return ended.length === 3 || undefined;
    });
    daemon.signal("SIGSTOP");
    const holder = { id: "another", pid: 7, host: "elsewhere", beat: 0 };
    await place.write("state/state.lock", JSON.stringify(holder));
    await control(example, "edit", { zone: "blog.example.com", settings: { enabled: false } });
    const written = writesSeenBy(emulator).length;
    const history = await place.read("state/history.jsonl");
    const state = await place.read("state/state.jsonl");
    daemon.signal("SIGCONT");
    daemon.signal("SIGHUP");
    expect(await daemon.exited).toBe(1);
    expect(daemon.output()).toContain("store was taken over: zonewarden ends at once");
    expect(writesSeenBy(emulator)).toHaveLength(written);
    expect(await place.read("state/history.jsonl")).toBe(history);
    expect(await place.read("state/state.jsonl")).toBe(state);
    expect(JSON.parse(await place.read("state/state.lock"))).toEqual(holder);
  });

  it("does not record the answer to a write that was on its way", async ({ expect }) => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await using example = await exampleWithEmulator({
      config: 'store: { path: state }\nschedule: { cron: "0 0 1 * *" }',
      sleep: async () => {
        asked.resolve();
        await answered.promise;
      },
    });
    const { place } = example;
    await using daemon = await startDaemon(place.directory);
    await eventually("the zones are as declared", async () => {
      const ended = (await place.read("state/history.jsonl").catch(() => "")).split(
        '"result":"applied"',
      );
      return ended.length === 3 || undefined;
    });
    await control(example, "edit", { zone: "blog.example.com", settings: { enabled: false } });
    await control(example, "faults", { fault: "latency", milliseconds: 1, method: "PUT" });
    daemon.signal("SIGHUP");
    await asked.promise;
    daemon.signal("SIGSTOP");
    const holder = { id: "another", pid: 7, host: "elsewhere", beat: 0 };
    await place.write("state/state.lock", JSON.stringify(holder));
    const history = await place.read("state/history.jsonl");
    expect(history.split("\n").at(-2)).toContain('"running"');
    answered.resolve();
    daemon.signal("SIGCONT");
    expect(await daemon.exited).toBe(1);
    expect(await place.read("state/history.jsonl")).toBe(history);
  });
});
