import { describe, it } from "vitest";

import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";

const shop = "shop.example.com";

describe("inventory", () => {
  it("prints the inventory of each zone, with the threshold of malicious scores", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator();
    const { code, stdout, stderr } = await example.place.run("inventory", "scripts", "--summary");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")).toContain(
      "shop.example.com: 4 scripts from 4 hosts, 4 active, 1 malicious (integrity score below 50, or reported), 1 first seen in the last day",
    );
    expect(stdout).toContain("blog.example.com: no scripts");
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });

  it.for([
    { flags: [], yields: ["app.js", "ui.js", "pay.js", "m.js"] },
    { flags: ["--malicious"], yields: ["m.js"] },
    { flags: ["--malicious", "--malicious-below", "4"], yields: [] },
    { flags: ["--url", "pay", "cdn"], yields: ["ui.js", "pay.js"] },
    { flags: ["--exclude-url", "pay"], yields: ["app.js", "ui.js", "m.js"] },
    { flags: ["--page", "*/checkout/pay"], yields: ["pay.js", "m.js"] },
    { flags: ["--status", "inactive"], yields: [] },
    { flags: ["--order", "first-seen", "--direction", "desc", "--url", "m.js"], yields: ["m.js"] },
  ])("finds $yields with $flags", async ({ flags, yields }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("inventory", "scripts", shop, ...flags);
    const names = [...stdout.matchAll(/^https:\S+\/(\S+)/gm)].map(([, name]) => name);
    expect(names).toEqual(yields);
  });

  it("uses the threshold of the configuration", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: "impact: { malicious_below: 3 }" });
    const { stdout } = await example.place.run("inventory", "scripts", shop, "--summary");
    expect(stdout).toContain("0 malicious (integrity score below 3, or reported)");
  });

  it("prints JSON, and CSV without formulas", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const json = await example.place.run("inventory", "cookies", shop, "--format", "json");
    const parsed: unknown = JSON.parse(json.stdout);
    expect(parsed).toMatchObject({
      format: "zonewarden-inventory/1",
      zones: [{ zone: shop, summary: { total: 1 }, items: [{ name: "session" }] }],
    });
    const csv = await example.place.run("inventory", "scripts", shop, "--format", "csv");
    const [head = "", ...rows] = csv.stdout.trimEnd().split("\r\n");
    expect(head.split(",").slice(0, 3)).toEqual(["zone", "id", "host"]);
    expect(rows).toHaveLength(4);
  });

  it("shows one script with its pages", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("inventory", "scripts", shop, "--url", "ui.js");
    const id = /[0-9a-f]{32}/.exec(stdout)?.[0] ?? "";
    const shown = await example.place.run("inventory", "scripts", shop, "--id", id);
    expect(shown.stdout).toContain(
      "page_urls: https://shop.example.com/, https://shop.example.com/checkout\n",
    );
    const csv = await example.place.run(
      "inventory",
      "scripts",
      shop,
      "--id",
      id,
      "--format",
      "csv",
    );
    expect(csv.stdout.split("\r\n")).toEqual([
      expect.stringMatching(/^zone,id,host,/),
      expect.stringContaining(`${shop},${id},${shop},`),
      "",
    ]);
    const all = await example.place.run("inventory", "scripts", "--id", id);
    expect(all).toMatchObject({ code: 1, stdout: "" });
    expect(all.stderr).toContain("--id: 4 zones match; name the zone of the script");
  });

  it.for([
    { args: ["scripts", "nowhere.example"], says: "no zone that matches nowhere.example" },
    { args: ["scripts", "--malicious-below", "much"], says: "--malicious-below: write a number" },
    { args: ["scripts", "--malicious-below", "0"], says: "--malicious-below: write a number" },
    {
      args: ["scripts", "--host", ""],
      says: "--host: write what to look for, or remove the option",
    },
    { args: ["scripts", "--url", "a", " "], says: "--url: write what to look for" },
    { args: ["cookies", "--path", ""], says: "--path: write what to look for" },
    {
      args: ["cookies", "--name", "a*b"],
      says: "--name: * can stand only at the start and the end",
    },
    { args: ["scripts", "--page", "*x*", "x*y"], says: "--page: * can stand only at the start" },
    { args: ["scripts", "--status", "gone"], says: "Allowed choices are active" },
    { args: ["scripts", shop, "--id", "0".repeat(32)], says: "API_NOT_FOUND" },
  ])("says what is wrong with $args", async ({ args, says }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { code, stdout, stderr } = await example.place.run("inventory", ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(says);
  });
});

it.for([
  {
    flags:
      "scripts --host www.* --page */pay --url a b --exclude-url copy --status inactive --cdn-cgi --duplicates --malicious-first --order last-seen --direction desc",
    query:
      "order_by=last_seen_at&direction=desc&hosts=www.*&page_url=*/pay&urls=a,b&exclude_urls=copy&status=inactive&exclude_cdn_cgi=false&exclude_duplicates=false&prioritize_malicious=true",
  },
  {
    flags: "connections --host www.*",
    query: "order_by=first_seen_at&direction=asc&hosts=www.*",
  },
  {
    flags:
      "cookies --name session --path /shop --domain a.example --secure no --http-only yes --same-site lax --type unknown",
    query:
      "order_by=first_seen_at&direction=asc&name=session&path=/shop&domain=a.example&secure=false&http_only=true&same_site=lax&type=unknown",
  },
])("asks the service for what $flags say", async ({ flags, query }, { expect }) => {
  await using example = await exampleWithEmulator();
  const [kind = "", ...options] = flags.split(" ");
  await example.place.run("inventory", kind, shop, ...options);
  const [asked = ""] = example.emulator
    .journal()
    .map(({ path }) => decodeURIComponent(path))
    .filter((path) => path.includes("page_shield"));
  expect(asked).toContain(`?${query}&page=1&per_page=100`);
});
