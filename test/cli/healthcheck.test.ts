import { describe, it } from "vitest";

import { workplace } from "../support/command-line.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { startServer } from "../support/http-server.ts";
import { logged } from "../support/log-lines.ts";
import { eventually, freePort } from "../support/processes.ts";
import { stop } from "../support/running.ts";

describe("healthcheck", () => {
  it("asks the daemon of the configuration, on the loopback address", async ({ expect }) => {
    const port = await freePort();
    await using example = await exampleWithEmulator();
    await example.place.edit(
      "zonewarden.yaml",
      /listen: "127.0.0.1:0"/,
      `listen: "0.0.0.0:${port}"`,
    );
    const before = await example.place.run("healthcheck");
    expect(before).toMatchObject({ code: 1, stdout: "" });
    expect(before.stderr).toContain(`http://127.0.0.1:${port}/livez does not answer`);

    const daemon = example.place.start("run");
    await logged(daemon, "zonewarden started");
    expect(await example.place.run("healthcheck")).toMatchObject({ code: 0, stdout: "ok\n" });
    await eventually("it is ready", async () =>
      (await example.place.run("healthcheck", "--ready")).code === 0 ? true : undefined,
    );
    await stop(daemon);
  });

  it("fails with what the daemon says where a check fails", async ({ expect }) => {
    await using server = await startServer((_seen, response) =>
      response
        .writeHead(503, { server: "zonewarden" })
        .end("[-]desired-state failed: not loaded\ncheck failed\n"),
    );
    await using place = await workplace();
    const { port } = new URL(server.baseUrl);
    const config = `mode: observe\nserver: { listen: "127.0.0.1:${port}" }\n`;
    await place.write("zonewarden.yaml", config);
    const { code, stderr } = await place.run("healthcheck", "--ready");
    expect(code).toBe(1);
    expect(stderr).toContain("[-]desired-state failed: not loaded");
    expect(server.seen.map(({ path }) => path)).toEqual(["/readyz"]);
  });

  it.for([
    { headers: { "content-type": "text/html" }, body: "<html>Sign in</html>", is: "text/html" },
    { headers: { "content-type": "text/plain", server: "Other/2" }, body: "ok\n", is: "Other/2" },
    { headers: {}, body: "", is: "status 200" },
  ])("fails where another program has the port: $is", async ({ headers, body, is }, { expect }) => {
    await using server = await startServer((_, response) =>
      response.writeHead(200, headers).end(body),
    );
    await using place = await workplace();
    const listen = new URL(server.baseUrl).host;
    await place.write("zonewarden.yaml", `mode: observe\nserver: { listen: "${listen}" }\n`);
    expect(await place.run("healthcheck")).toEqual({
      code: 1,
      stdout: "",
      stderr: `http://${listen}/livez is answered by another program (${is}): stop it, or choose another port in server.listen\n`,
    });
  });

  it("fails where the configuration is invalid", async ({ expect }) => {
    await using place = await workplace();
    await place.write("zonewarden.yaml", "mode: maybe\n");
    expect((await place.run("healthcheck")).code).toBe(3);
  });
});
