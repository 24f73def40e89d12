import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import { nodeFiles } from "../../src/desired/file-system.ts";
import { watchZoneFiles } from "../../src/desired/load/watch-zone-files.ts";
import { ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import { systemClock } from "../../src/host/clock.ts";
import { zonesOf } from "../support/desired.ts";
import { cases } from "../support/properties.ts";

const zone = (name: string): string => `zones:\n  - name: ${name}.example\n`;

/** A watched directory on a real disk, and what was loaded after each call. */
class Watched implements AsyncDisposable {
  readonly top: string;
  readonly seen: string[] = [];
  calls = 0;
  #watcher: AsyncDisposable | undefined;
  #loading: Promise<void> = Promise.resolve();

  private constructor(top: string) {
    this.top = top;
  }

  static async in(
    name: string,
    debounceMs: number,
    prepare: (top: string) => Promise<void>,
  ): Promise<Watched> {
    const watched = new Watched(await realpath(await mkdtemp(path.join(tmpdir(), "watched-"))));
    await prepare(watched.top);
    const place = path.join(watched.top, name);
    const desired = new ZoneFileLoader({ path: place, files: nodeFiles, clock: systemClock });
    watched.#watcher = await watchZoneFiles(
      place,
      () => {
        watched.calls += 1;
        watched.#loading = watched.#loading.then(async () => {
          watched.seen.push(zonesOf(await desired.load(new AbortController().signal)).join(" "));
        });
      },
      { debounceMs, clock: systemClock, files: nodeFiles },
    );
    return watched;
  }

  /** Waits until the last load yields `zones`; the time limit of the test ends the wait. */
  async sees(zones: string): Promise<void> {
    while (this.seen.at(-1) !== zones) await sleep(2);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watcher?.[Symbol.asyncDispose]();
    await this.#loading;
    await rm(this.top, { recursive: true });
  }
}

/** Does what the kubelet does when a ConfigMap changes: creates a directory and swaps a link. */
async function swapConfigMap(mount: string, version: number, name: string): Promise<void> {
  const staged = `..2026_11_21_02_00_00.${version}`;
  await mkdir(path.join(mount, staged));
  await writeFile(path.join(mount, staged, "a.yaml"), zone(name));
  await symlink(staged, path.join(mount, "..data_tmp"));
  await rename(path.join(mount, "..data_tmp"), path.join(mount, "..data"));
  if (version === 0) await symlink("..data/a.yaml", path.join(mount, "a.yaml"));
  else {
    await rm(path.join(mount, `..2026_11_21_02_00_00.${version - 1}`), { recursive: true });
  }
}

/** Does what git-sync does: creates a checkout next to the last one and swaps a link. */
async function flip(top: string, name: string): Promise<void> {
  await mkdir(path.join(top, name, "zones"), { recursive: true });
  await writeFile(path.join(top, name, "zones", "a.yaml"), zone(name));
  await symlink(name, path.join(top, "link_tmp"));
  await rename(path.join(top, "link_tmp"), path.join(top, "link"));
}

async function writeZone(top: string, name: string): Promise<void> {
  await mkdir(path.join(top, "zones"), { recursive: true });
  await writeFile(path.join(top, "zones", "a.yaml"), zone(name));
}

describe("watching the files", { timeout: 60_000 }, () => {
  it("sees each swap of a ConfigMap volume", async ({ expect }) => {
    await using watched = await Watched.in("zones", 1, async (top) => {
      await mkdir(path.join(top, "zones"));
      await swapConfigMap(path.join(top, "zones"), 0, "v0");
    });
    const { numRuns: swaps } = cases(20);
    for (let version = 1; version <= swaps; version += 1) {
      await swapConfigMap(path.join(watched.top, "zones"), version, `v${version}`);
      await watched.sees(`v${version}.example`);
    }
    expect(watched.seen.at(-1)).toBe(`v${swaps}.example`);
  });

  it("sees the last of a burst of swaps, and one after a pause", async ({ expect }) => {
    await using watched = await Watched.in("zones", 5, async (top) => {
      await mkdir(path.join(top, "zones"));
      await swapConfigMap(path.join(top, "zones"), 0, "v0");
    });
    const mount = path.join(watched.top, "zones");
    for (let version = 1; version <= 20; version += 1) {
      await swapConfigMap(mount, version, `v${version}`);
    }
    await watched.sees("v20.example");
    await swapConfigMap(mount, 21, "v21");
    await watched.sees("v21.example");
    // No load during the burst may have been complete; but a version once seen must not be lost again.
    const first = watched.seen.findIndex((name) => name !== "");
    expect(watched.seen.slice(first)).not.toContain("");
  });

  it("sees the flips of git-sync's link, the first one too", async ({ expect }) => {
    await using watched = await Watched.in("link/zones", 5, (top) => flip(top, "one"));
    for (const name of ["two", "three"]) {
      await flip(watched.top, name);
      await watched.sees(`${name}.example`);
    }
    expect(watched.seen.at(-1)).toBe("three.example");
  });

  it("sees a directory deleted and created again, and changes after that", async ({ expect }) => {
    await using watched = await Watched.in("zones", 5, (top) => writeZone(top, "one"));
    await rm(path.join(watched.top, "zones"), { recursive: true });
    while (watched.calls === 0) await sleep(5);
    await writeZone(watched.top, "two");
    await watched.sees("two.example");
    await writeZone(watched.top, "three");
    await watched.sees("three.example");
    expect(watched.seen.at(-1)).toBe("three.example");
  });

  it("sees a directory replaced by another one", async ({ expect }) => {
    await using watched = await Watched.in("zones", 5, async (top) => {
      for (const name of ["zones", "other"]) {
        await mkdir(path.join(top, name));
        await writeFile(path.join(top, name, "a.yaml"), zone(name));
      }
    });
    await rename(path.join(watched.top, "zones"), path.join(watched.top, "gone"));
    await rename(path.join(watched.top, "other"), path.join(watched.top, "zones"));
    await watched.sees("other.example");
    await writeFile(path.join(watched.top, "zones", "a.yaml"), zone("later"));
    await watched.sees("later.example");
    expect(watched.calls).toBeGreaterThan(0);
  });

  it("sees an editor's atomic saves of one file", async ({ expect }) => {
    await using watched = await Watched.in("zones.yaml", 5, (top) =>
      writeFile(path.join(top, "zones.yaml"), zone("v0")),
    );
    for (let version = 1; version <= 3; version += 1) {
      const name = `v${version}`;
      await writeFile(path.join(watched.top, "zones.yaml~"), zone(name));
      await rename(path.join(watched.top, "zones.yaml~"), path.join(watched.top, "zones.yaml"));
      await watched.sees(`${name}.example`);
    }
    expect(watched.seen.at(-1)).toBe("v3.example");
  });

  it("calls once for a checkout of 200 files", async ({ expect }) => {
    await using watched = await Watched.in("zones", 1000, (top) =>
      mkdir(path.join(top, "zones")).then(() => {}),
    );
    const names = Array.from({ length: 200 }, (_, index) => `z${String(index).padStart(3, "0")}`);
    for (const name of names) {
      await writeFile(path.join(watched.top, "zones", `${name}.yaml`), zone(name));
    }
    await watched.sees(names.map((name) => `${name}.example`).join(" "));
    expect(watched.calls).toBe(1);
  });

  it("begins before a slow watcher is ready, and calls when it is", async ({ expect }) => {
    const top = await realpath(await mkdtemp(path.join(tmpdir(), "watched-")));
    const called = Promise.withResolvers<string>();
    let isFirst = true;
    const clock = {
      monotonicMs: () => 0,
      // The first wait, for the watcher, is over at once; the poll waits as long as the test.
      sleep: (ms: number, signal: AbortSignal): Promise<void> => {
        const isOver = isFirst || ms <= 1;
        isFirst = false;
        return isOver ? Promise.resolve() : systemClock.sleep(60_000, signal);
      },
    };
    const options = { debounceMs: 1, clock, files: nodeFiles };
    await using _watcher = await watchZoneFiles(top, () => called.resolve("called"), options);
    expect(await called.promise).toBe("called");
    await rm(top, { recursive: true });
  });

  it("does not call after it is disposed", async ({ expect }) => {
    const watched = await Watched.in("zones", 1, (top) =>
      mkdir(path.join(top, "zones")).then(() => {}),
    );
    await writeFile(path.join(watched.top, "zones", "a.yaml"), zone("a"));
    await watched[Symbol.asyncDispose]();
    const { calls } = watched;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(watched.calls).toBe(calls);
  });
});
