import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { describe, it as test } from "vitest";

import { stateFileAt } from "../../src/emulator/seed/state-file.ts";
import type { State } from "../../src/emulator/state.ts";
import { errorOf, listOf, resultOf, testEmulator } from "../support/emulator.ts";

const it = test.extend<{ readonly directory: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest refuses a fixture whose first parameter is no pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-state-"));
    await use(directory);
    await rm(directory, { recursive: true });
  },
});

const empty: State = {
  accounts: [],
  zones: [],
  tokens: [],
  rateLimit: null,
  clockOffset: 0,
  made: 0,
};

describe("a state file", () => {
  it("is not written through a symbolic link in the place of its draft", async ({
    directory,
    expect,
  }) => {
    const statePath = path.join(directory, "state.json");
    const victim = path.join(directory, "victim");
    await writeFile(victim, "kept");
    await symlink(victim, `${statePath}.tmp`);
    await stateFileAt(statePath).save(() => empty);
    expect(await readFile(victim, "utf8")).toBe("kept");
    expect(await readFile(statePath, "utf8")).not.toBe("");
  });

  it("keeps everything over a restart", async ({ directory, expect }) => {
    const statePath = path.join(directory, "state.json");
    const policy = { description: "A", action: "log", expression: "true", enabled: true };
    let before: unknown;
    {
      await using world = await testEmulator({ expect }, { statePath });
      const zone = await world.zoneId("www.brand.example");
      const value = "script-src 'self'";
      await world.call("POST", `/zones/${zone}/page_shield/policies`, { ...policy, value });
      await world.control("POST", "/clock", { advance: "1h" });
      before = listOf(await world.call("GET", `/zones/${zone}/page_shield/policies`));
    }
    await using world = await testEmulator({ expect }, { statePath });
    const zone = await world.zoneId("www.brand.example");
    expect(listOf(await world.call("GET", `/zones/${zone}/page_shield/policies`))).toEqual(before);
    expect((await world.control("GET", "/clock")).body["now"]).toBe("2026-11-20T13:00:00.000Z");
    const added = await world.call("POST", `/zones/${zone}/page_shield/policies`, {
      ...policy,
      value: "img-src 'self'",
    });
    expect(before).not.toMatchObject([{ id: resultOf(added)["id"] }]);
  });

  it("contains a write when its response arrives", async ({ directory, expect }) => {
    const statePath = path.join(directory, "state.json");
    await using world = await testEmulator({ expect }, { statePath });
    const zone = await world.zoneId("shop.example.com");
    await world.call("PUT", `/zones/${zone}/page_shield`, { use_connection_url_path: true });
    const held = await stateFileAt(statePath).load();
    const saved = held?.zones.find(({ name }) => name === "shop.example.com");
    expect(saved?.settings.use_connection_url_path).toBe(true);
    expect(await readdir(directory)).toEqual(["state.json"]);
  });

  it("that is truncated is rejected, and not changed", async ({ directory, expect }) => {
    const statePath = path.join(directory, "state.json");
    await stateFileAt(statePath).save(() => empty);
    const whole = await readFile(statePath, "utf8");
    for (let length = whole.length - 1; length >= 0; length -= 7) {
      await writeFile(statePath, whole.slice(0, length));
      await expect(stateFileAt(statePath).load()).rejects.toThrow("not a complete state file");
    }
    await writeFile(statePath, whole.slice(0, 100));
    await expect(testEmulator({ expect }, { statePath })).rejects.toThrow(statePath);
    expect(await readFile(statePath, "utf8")).toBe(whole.slice(0, 100));
  });

  it("that was changed by hand is rejected", async ({ directory, expect }) => {
    const statePath = path.join(directory, "state.json");
    await stateFileAt(statePath).save(() => ({ ...empty, made: 7 }));
    const whole = await readFile(statePath, "utf8");
    await writeFile(statePath, whole.replace('"made":7', '"made":8'));
    await expect(stateFileAt(statePath).load()).rejects.toThrow("not a complete state file");
  });

  it("that is absent is no error", async ({ directory, expect }) => {
    expect(await stateFileAt(path.join(directory, "none.json")).load()).toBeUndefined();
  });

  it("that cannot be written is reported in the response", async ({ directory, expect }) => {
    const gone = path.join(directory, "gone");
    await mkdir(gone);
    const statePath = path.join(gone, "state.json");
    const world = await testEmulator({ expect }, { statePath });
    const zone = await world.zoneId("shop.example.com");
    await rm(gone, { recursive: true });
    const answer = await world.stray("PUT", `/zones/${zone}/page_shield`, { enabled: false });
    expect(answer.status).toBe(500);
    expect(errorOf(answer)["message"]).toContain("state.json");
    await mkdir(gone);
    await world[Symbol.asyncDispose]();
  });

  it("ends with the newest of many writes at once", async ({ directory, expect }) => {
    const file = stateFileAt(path.join(directory, "state.json"));
    let made = 0;
    await Promise.all(
      Array.from({ length: 50 }, () => {
        made += 1;
        return file.save(() => ({ ...empty, made }));
      }),
    );
    expect((await file.load())?.made).toBe(50);
  });

  it("goes on after a write that failed", async ({ directory, expect }) => {
    const inner = path.join(directory, "later");
    const file = stateFileAt(path.join(inner, "state.json"));
    await expect(file.save(() => empty)).rejects.toThrow("ENOENT");
    await writeFile(path.join(directory, "other"), "");
    await expect(file.save(() => empty)).rejects.toThrow("ENOENT");
    expect(await file.load()).toBeUndefined();
  });
});
