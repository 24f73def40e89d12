import { describe, it } from "vitest";

import { hostWithPort } from "../../src/syntax/host-port.ts";

describe("a host with its port", () => {
  it.for([
    { host: "api.example", yields: "api.example:80" },
    { host: "127.0.0.1", yields: "127.0.0.1:80" },
    { host: "::1", yields: "[::1]:80" },
  ])("of $host is $yields", ({ host, yields }, { expect }) => {
    expect(hostWithPort(host, 80)).toBe(yields);
    expect(new URL(`http://${yields}`).host).toBe(yields.replace(":80", ""));
  });
});
