import { describe, it } from "vitest";

import { get, type Call } from "../../src/api/request/call.ts";
import { sendWithRetries } from "../../src/api/request/retry.ts";
import { postThrough } from "../../src/notify/message.ts";
import { proxyIn } from "../../src/zone/proxy.ts";
import { startConnectProxy, startTlsServer } from "../support/connect-proxy.ts";
import { startServer, succeed } from "../support/http-server.ts";
import { connect } from "../support/service.ts";

const zones = get("/zones", {});
const write: Call = {
  method: "PUT",
  route: "/zones/{zone_id}/page_shield",
  params: { zone_id: "z1" },
  query: {},
  body: { enabled: true },
};
const once = { maxAttempts: 1 };

describe("HTTPS_PROXY", () => {
  it("is the way to the service and to the sinks, which see nothing of it", async ({
    expect,
    signal,
  }) => {
    await using proxy = await startConnectProxy();
    const seen: (string | undefined)[] = [];
    await using service = await startTlsServer(({ headers }, response) => {
      seen.push(headers["proxy-authorization"]);
      succeed(response, []);
    });
    const settings = proxyIn({ HTTPS_PROXY: proxy.url.replace("//", "//user:secret@") });
    await using connected = connect(`https://${service.host}/client/v4`, { proxy: settings });
    await sendWithRetries(connected.session, "sweep", zones, signal);
    expect(proxy.tunnels).toEqual([service.host]);
    const post = postThrough(settings);
    expect(await post(`https://${service.host}/hook`, { headers: {}, body: "{}" }, signal)).toBe(
      200,
    );
    expect(proxy.tunnels).toEqual([service.host, service.host]);
    const basic = `Basic ${Buffer.from("user:secret").toString("base64")}`;
    expect(proxy.authorizations).toEqual([basic, basic]);
    expect(seen).toEqual([undefined, undefined]);
  });

  it("is not used for the hosts of NO_PROXY, nor for http", async ({ expect, signal }) => {
    await using proxy = await startConnectProxy();
    await using service = await startTlsServer((_, response) => succeed(response, []));
    const settings = proxyIn({
      https_proxy: proxy.url,
      HTTP_PROXY: proxy.url,
      no_proxy: "example.com,localhost",
    });
    await using connected = connect(`https://${service.host}/client/v4`, { proxy: settings });
    await sendWithRetries(connected.session, "sweep", zones, signal);
    await using plain = await startServer((_seen, response) => succeed(response, []));
    await using local = connect(plain.baseUrl, { proxy: proxyIn({ HTTPS_PROXY: proxy.url }) });
    await sendWithRetries(local.session, "sweep", zones, signal);
    expect(proxy.tunnels).toEqual([]);
  });

  it("that refuses is named, and a write has certainly not happened", async ({
    expect,
    signal,
  }) => {
    await using proxy = await startConnectProxy(407);
    const settings = proxyIn({ HTTPS_PROXY: proxy.url.replace("//", "//user:secret@") });
    await using connected = connect("https://api.example.com/client/v4", {
      proxy: settings,
      retry: once,
    });
    const sending = sendWithRetries(connected.session, "write", write, signal);
    const error: unknown = await sending.catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "API_UNREACHABLE", mayHaveHappened: false });
    expect(String(error)).toContain("HTTPS_PROXY answers 407");
    expect(JSON.stringify(error) + String(error)).not.toContain("secret");
    expect(proxy.tunnels).toEqual(["api.example.com:443"]);
  });

  it("that is gone fails the request as a lost network does", async ({ expect, signal }) => {
    const proxy = await startConnectProxy();
    await proxy[Symbol.asyncDispose]();
    await using connected = connect("https://api.example.com/client/v4", {
      proxy: proxyIn({ HTTPS_PROXY: proxy.url }),
      retry: once,
    });
    const sending = sendWithRetries(connected.session, "write", write, signal);
    const error: unknown = await sending.catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "API_UNREACHABLE", mayHaveHappened: false });
    expect(String(error)).toContain("ECONNREFUSED");
  });

  it.for([
    { env: {}, is: "" },
    { env: { HTTPS_PROXY: "" }, is: "" },
    { env: { HTTPS_PROXY: "proxy.example.com:3128" }, is: "http://proxy.example.com:3128" },
    { env: { HTTPS_PROXY: "http://a:1", https_proxy: "https://b:2" }, is: "https://b:2" },
  ])("of %j is read as curl reads it", ({ env, is }, { expect }) => {
    expect(proxyIn(env)).toMatchObject({ httpProxy: "", httpsProxy: is });
  });

  it.for(["socks5://user:secret@a:1", "http://user:secret@", "://a"])(
    "of %s is refused, and not quoted",
    (text, { expect }) => {
      expect(() => proxyIn({ HTTPS_PROXY: text })).toThrow(/^HTTPS_PROXY must be/);
    },
  );
});
