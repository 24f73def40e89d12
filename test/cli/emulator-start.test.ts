import { createServer } from "node:net";

import { describe, it } from "vitest";

import { workplace } from "../support/command-line.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { close, listenOnLoopback } from "../support/loopback.ts";
import { freePort } from "../support/processes.ts";
import { stop } from "../support/running.ts";

/** A port that another program listens on, until it is disposed. */
async function takenPort(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((socket) => {
    socket.destroy();
  });
  const port = await listenOnLoopback(server);
  return { port, [Symbol.asyncDispose]: () => close(server) };
}

/** A daemon with an embedded emulator. */
function withEmulator(emulator: string): string {
  return `mode: enforce\napi: { emulator: { ${emulator} } }\nserver: { listen: "127.0.0.1:0" }\n`;
}

describe("what cannot start says what to do", () => {
  it("when its port is in use, for emulate, its emulator and run", async ({ expect }) => {
    await using taken = await takenPort();
    await using place = await workplace();
    const address = `127.0.0.1:${taken.port}`;
    await place.write("zonewarden.yaml", withEmulator(`listen: "${address}"`));
    const emulate = await place.run("emulate", "--listen", address);
    const run = await place.run("run");
    await place.write("zonewarden.yaml", `mode: observe\nserver: { listen: "${address}" }\n`);
    const daemon = await place.run("run");
    const words = `cannot listen on ${address}: the port is in use: stop the other program or choose another port\n`;
    expect(emulate).toMatchObject({ code: 1, stderr: `zonewarden: --listen: ${words}` });
    expect(run).toMatchObject({ code: 1, stderr: `zonewarden: api.emulator.listen: ${words}` });
    expect(daemon).toMatchObject({ code: 1, stderr: `zonewarden: server.listen: ${words}` });
  });

  it("when its pod has no token of its account, for an election", async ({ expect }) => {
    await using place = await workplace({ KUBERNETES_SERVICE_HOST: "10.0.0.1" });
    const config = "mode: observe\nstore: { postgres: { url_env: DATABASE } }\ncluster: {}\n";
    await place.write("zonewarden.yaml", config);
    const { stderr } = await place.run("run");
    expect(stderr).toMatch(/^zonewarden: .* set automountServiceAccountToken: true.*\n$/);
  });

  it.for([
    { when: "is not there", seed: "seed.yaml", says: "it does not exist" },
    { when: "is a directory", seed: "zones", says: "it is a directory" },
  ])("when its seed $when, of emulate and of run", async ({ seed, says }, { expect }) => {
    await using place = await workplace();
    await place.write("zones/none.yaml", "zones: []\n");
    await place.write("zonewarden.yaml", withEmulator(`seed: "${seed}", listen: "127.0.0.1:0"`));
    const words = `${seed}: cannot be read: ${says}; name an existing file, or none for the built-in seed\n`;
    expect(await place.run("emulate", "--seed", seed)).toMatchObject({ code: 3, stderr: words });
    expect(await place.run("run")).toMatchObject({ code: 3, stderr: words });
  });

  it("but a daemon uses an emulator that runs already", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.write(
      "zonewarden.yaml",
      withEmulator(`listen: "${new URL(emulator.url).host}"`).replace("enforce", "observe"),
    );
    const daemon = place.start("run");
    await logged(daemon, "revision applied");
    expect(await stop(daemon)).toBe(0);
    expect(emulator.journal().length).toBeGreaterThan(0);
  });

  it("but a single command uses the emulator of the daemon", async ({ expect }) => {
    await using place = await workplace({ ZONEWARDEN_API_TOKEN: "emulator-token" });
    await place.write("zones/none.yaml", "zones: []\n");
    await place.write("zonewarden.yaml", withEmulator(`listen: "127.0.0.1:${await freePort()}"`));
    const daemon = place.start("run");
    await logged(daemon, "revision applied");
    expect(await place.run("plan")).toMatchObject({ code: 0 });
    expect(await stop(daemon)).toBe(0);
  });
});
