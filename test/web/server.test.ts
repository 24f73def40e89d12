import { describe, it } from "vitest";

import type { Fleet } from "../../src/state/fleet.ts";
import { EventStream } from "../../src/web/event-stream.ts";
import { ListenError } from "../../src/web/listen-error.ts";
import { internalError } from "../../src/zone/internal-error.ts";
import { SimulatedClock } from "../support/clock.ts";
import { drifted, fleetOf, shop } from "../support/fleets.ts";
import { diagnostic, load, report } from "../support/reports.ts";
import { requestFrom } from "../support/request-from.ts";
import { serveFleet } from "../support/web-server.ts";

/** Of the process, before any server is started. */
const ownResponse = Response;

function loadedFleet(): Fleet {
  const fleet = fleetOf();
  fleet.recordLoad(load({ result: "partial", diagnostics: [diagnostic()] }));
  fleet.recordZone(report(shop, 1, drifted));
  return fleet;
}

/** Lines of an answer, without what Node.js tells of the process at that moment. */
function ours(text: string): readonly string[] {
  return text.split("\n").filter((line) => !/^(?:process|nodejs)_/.test(line));
}

describe("the server", () => {
  it("answers probes", async ({ expect, signal }) => {
    const fleet = fleetOf();
    await using server = await serveFleet(fleet);
    const get = async (path: string): Promise<readonly [number, string]> => {
      const response = await fetch(server.url + path, { signal });
      return [response.status, await response.text()];
    };
    expect(await get("/livez")).toEqual([200, "ok\n"]);
    expect(await get("/healthz?verbose")).toEqual([200, "[+]loop ok\ncheck passed\n"]);
    expect(await get("/readyz")).toEqual([
      503,
      "[-]desired-state failed: the zone files are not loaded yet\ncheck failed\n",
    ]);
    const diagnostics = [diagnostic()];
    fleet.recordLoad(load({ result: "rejected", revision: "", hash: "", diagnostics }));
    expect(await get("/readyz")).toEqual([
      503,
      expect.stringContaining("are rejected: shops.yaml:12"),
    ]);
    fleet.recordLoad(load());
    expect(await get("/readyz")).toEqual([200, "ok\n"]);
  });

  it("is not ready while it cannot follow the files", async ({ expect, signal }) => {
    const fleet = loadedFleet();
    await using server = await serveFleet(fleet);
    fleet.recordLoad(load({ result: "rejected", diagnostics: [internalError(new Error("odd"))] }));
    const response = await fetch(`${server.url}/readyz`, { signal });
    expect([response.status, await response.text()]).toEqual([
      503,
      "[-]desired-state failed: the zone files are not followed: zonewarden failed unexpectedly: Error: odd\ncheck failed\n",
    ]);
    fleet.recordLoad(load());
    expect((await fetch(`${server.url}/readyz`, { signal })).status).toBe(200);
  });

  it("is alive but not ready while a readiness check fails", async ({ expect, signal }) => {
    const ready = [{ name: "shutdown", failure: () => "stopping" }];
    await using server = await serveFleet(loadedFleet(), { health: { live: [], ready } });
    expect((await fetch(`${server.url}/readyz`, { signal })).status).toBe(503);
    expect((await fetch(`${server.url}/livez`, { signal })).status).toBe(200);
  });

  it("hands out metrics in the format of Prometheus", async ({ expect, signal }) => {
    await using server = await serveFleet(loadedFleet());
    const response = await fetch(`${server.url}/metrics`, { signal });
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    expect(text).toContain(`zonewarden_zone_status{zone="${shop}",status="drifted"} 1`);
    expect(text.endsWith("\n")).toBe(true);
  });

  it.for(["/metrics", "/", "/api/v1/zones"])(
    "compresses %s for a client that accepts it, and says the same to one that does not",
    async (path, { expect, signal }) => {
      await using server = await serveFleet(loadedFleet());
      const get = (encoding: string): Promise<Response> =>
        fetch(server.url + path, { signal, headers: { "accept-encoding": encoding } });
      const [packed, plain] = [await get("gzip"), await get("identity")];
      expect(packed.headers.get("content-encoding")).toBe("gzip");
      expect(plain.headers.get("content-encoding")).toBeNull();
      expect(packed.headers.get("vary")).toBe("Accept-Encoding");
      expect(ours(await packed.text())).toEqual(ours(await plain.text()));
    },
  );

  it("does not compress the stream of events, which would delay them", async ({
    expect,
    signal,
  }) => {
    await using server = await serveFleet(loadedFleet());
    const headers = { "accept-encoding": "gzip" };
    const events = await fetch(`${server.url}/events`, { signal, headers });
    expect(events.headers.get("content-encoding")).toBeNull();
    await events.body?.cancel();
  });

  it("has a strict policy of its own on every answer", async ({ expect, signal }) => {
    await using server = await serveFleet(loadedFleet());
    for (const path of [
      "/",
      `/zones/${shop}`,
      "/diagnostics",
      "/api/v1/fleet",
      "/livez",
      "/nothing",
    ]) {
      const { headers } = await fetch(server.url + path, { signal });
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("strict-transport-security")).toBeNull();
    }
  });

  it.for([
    { host: "evil.example", status: 421 },
    { host: "evil.example:9464", status: 421 },
    { host: "127.0.0.1.evil.example", status: 421 },
    { host: "localhost.evil.example", status: 421 },
    { host: "status.example.com.evil.example", status: 421 },
    { host: "localhost:9464", status: 200 },
    { host: "10.1.2.3:9464", status: 200 },
    { host: "[fd00::1]:9464", status: 200 },
    { host: "status.example.com", status: 200 },
    { host: "STATUS.example.com.:443", status: 200 },
  ])("answers $status for the host $host", async ({ host, status }, { expect }) => {
    await using server = await serveFleet(loadedFleet());
    for (const path of ["/", "/api/v1/fleet", "/metrics", "/livez"]) {
      const answer = await requestFrom(server.url + path, { headers: { host } });
      expect(answer.status).toBe(status);
      if (status === 421) expect(answer.text).toContain("add the name to server.hosts");
    }
  });

  it("answers 304 for an unchanged page", async ({ expect, signal }) => {
    const fleet = loadedFleet();
    await using server = await serveFleet(fleet);
    for (const path of ["/", `/zones/${shop}`, "/api/v1/zones"]) {
      const first = await fetch(server.url + path, { signal });
      const tag = first.headers.get("etag") ?? "";
      expect(tag).toMatch(/^W\/"/);
      const again = { signal, headers: { "if-none-match": tag } };
      const same = await fetch(server.url + path, again);
      expect([same.status, same.headers.get("etag")]).toEqual([304, tag]);
      fleet.recordZone(report(shop, 2 + path.length, drifted));
      expect((await fetch(server.url + path, again)).status).toBe(200);
    }
  });

  it("serves what its pages refer to, to be kept for ever", async ({ expect, signal }) => {
    await using server = await serveFleet(loadedFleet());
    const page = await (await fetch(server.url, { signal })).text();
    const paths = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(new Set(paths).size).toBe(3);
    const types = new Map<string, string | null>();
    for (const path of paths) {
      const response = await fetch(`${server.url}${path}`, { signal });
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toContain("immutable");
      types.set(path?.replace(/.*\./, "") ?? "", response.headers.get("content-type"));
    }
    expect(Object.fromEntries(types)).toEqual({
      css: "text/css; charset=utf-8",
      js: "text/javascript; charset=utf-8",
      svg: "image/svg+xml",
    });
  });

  it("answers each path, and says what may be kept", async ({ expect, signal }) => {
    await using server = await serveFleet(loadedFleet());
    for (const [path, cache, says] of [
      ["/livez", "no-store", "ok\n"],
      ["/metrics", "no-store", "# HELP"],
      ["/diagnostics", "no-cache", "<h1>Diagnostics</h1>"],
      ["/api/v1/fleet", "no-cache", '{"format":"zonewarden-status/2",'],
      ["/", "no-cache", "<title>Fleet"],
      ["/api/v1/zones", "no-cache", '{"matching":1,'],
      ["/api/v1/diagnostics", "no-cache", '{"diagnostics":[{"code":"SCHEMA'],
      ["/api/v1/rollout", "no-cache", '"rollout":null,"steps":[]}'],
      [`/api/v1/zones/${shop}/history`, "no-cache", '{"entries":[]}'],
      [`/api/v1/zones/${shop}/write`, "no-cache", `{"zone":"${shop}","changes":1`],
      ["/api/v1/nothing", null, '{"error":"not found"}'],
    ] as const) {
      const response = await fetch(server.url + path, { signal });
      expect(response.status).toBe(cache === null ? 404 : 200);
      expect(response.headers.get("cache-control")).toBe(cache);
      expect(await response.text()).toContain(says);
    }
  });

  it.for([
    { method: "HEAD", path: "/", status: 200 },
    { method: "HEAD", path: "/metrics", status: 200 },
    { method: "POST", path: "/metrics", status: 405 },
    { method: "DELETE", path: "/zones/shop.example.com", status: 405 },
    { method: "GET", path: "/zones/unknown.example.com", status: 404 },
    { method: "GET", path: "/api/v1/zones/unknown.example.com", status: 404 },
    { method: "GET", path: "/api/v1/nothing", status: 404 },
    { method: "GET", path: "/nothing", status: 404 },
    { method: "GET", path: "/zones/%3Cscript%3E", status: 404 },
    { method: "GET", path: "/zones/%E0%A4%A", status: 404 },
    { method: "GET", path: "/?page=-1&status=nonsense", status: 200 },
  ])("answers $status to $method $path", async ({ method, path, status }, { expect, signal }) => {
    await using server = await serveFleet(loadedFleet());
    const response = await fetch(server.url + path, { method, signal });
    expect(response.status).toBe(status);
    expect(response.headers.get("server")).toBe("zonewarden");
    if (status === 405) expect(response.headers.get("allow")).toBe("GET, HEAD");
    const text = await response.text();
    if (method === "HEAD") expect(text).toBe("");
    else expect(text).not.toContain("<script>");
  });

  it("reports internal errors without showing them", async ({ expect, signal }) => {
    const told: unknown[] = [];
    await using server = await serveFleet(loadedFleet(), {
      facts: () => {
        throw new Error("secret detail");
      },
      onError: (error) => told.push(error),
    });
    const response = await fetch(server.url, { signal });
    expect(response.status).toBe(500);
    expect(await response.text()).toBe("internal error: see the log\n");
    expect(told).toEqual([new Error("secret detail")]);
  });

  it("leaves what the process has for its own requests", async ({ expect }) => {
    await using _ = await serveFleet(loadedFleet());
    expect(Response).toBe(ownResponse);
  });

  it("explains why it cannot listen", async ({ expect }) => {
    await using first = await serveFleet(loadedFleet());
    const port = Number(new URL(first.url).port);
    await expect(
      serveFleet(loadedFleet(), { listen: { host: "127.0.0.1", port } }),
    ).rejects.toThrow(
      `server.listen: cannot listen on 127.0.0.1:${port}: the port is in use: stop the other program or choose another port`,
    );
    await expect(
      serveFleet(loadedFleet(), { listen: { host: "203.0.113.1", port: 0 } }),
    ).rejects.toThrow("the machine has no such address");
  });

  it.for([
    { code: "EACCES", says: "permission denied: choose a port above 1023" },
    { code: "EAGAIN", says: "EAGAIN" },
    { code: "ENOTFOUND", says: "the machine has no such address: choose 127.0.0.1 or 0.0.0.0" },
    { code: "", says: "Error: odd" },
  ])(
    "explains that it cannot listen with the code '$code': $says",
    ({ code, says }, { expect }) => {
      const cause = Object.assign(new Error("odd"), { code });
      const { message } = new ListenError("server.listen", { host: "::1", port: 80 }, cause);
      expect(message).toBe(`server.listen: cannot listen on ::1:80: ${says}`);
    },
  );

  it("ends open connections when it is disposed", async ({ expect, signal }) => {
    const server = await serveFleet(loadedFleet());
    await (await fetch(server.url, { signal })).text();
    await server[Symbol.asyncDispose]();
    await expect(fetch(server.url, { signal })).rejects.toThrow();
  });

  it("sends an event to open pages", async ({ expect, signal }) => {
    const events = new EventStream(new SimulatedClock());
    await using server = await serveFleet(loadedFleet(), { events });
    const response = await fetch(`${server.url}/events`, { signal });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await pieces?.read())?.value).toBe("retry: 5000\n\n");
    events.load();
    expect((await pieces?.read())?.value).toBe("event: changed\ndata:\n\n");
  });

  it("sends nothing to a page that has not taken what was sent before", async ({
    expect,
    signal,
  }) => {
    const events = new EventStream(new SimulatedClock());
    let send: ((text: string) => void) | undefined;
    events.listen = (each) => {
      send = each;
      return { [Symbol.dispose]: () => undefined };
    };
    await using server = await serveFleet(loadedFleet(), { events });
    const response = await fetch(`${server.url}/events`, { signal });
    const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await pieces?.read();
    send?.("first");
    send?.("second");
    expect((await pieces?.read())?.value).toBe("first");
    send?.("third");
    expect((await pieces?.read())?.value).toBe("third");
  });

  it("rejects one open page too many, and takes it when another is closed", async ({
    expect,
    signal,
  }) => {
    const events = new EventStream(new SimulatedClock());
    for (let nth = 1; nth < 200; nth += 1) events.listen(() => undefined);
    await using server = await serveFleet(loadedFleet(), { events });
    const open = await fetch(`${server.url}/events`, { signal });
    const rejected = await fetch(`${server.url}/events`, { signal });
    expect([rejected.status, await rejected.text()]).toEqual([503, "too many open pages\n"]);
    await open.body?.cancel();
    await expect.poll(() => events.listen(() => undefined)).toBeDefined();
  });
});
