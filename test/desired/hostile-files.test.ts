import { describe, it, vi } from "vitest";

import { ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import { systemClock } from "../../src/host/clock.ts";
import { codesOf, desiredBench, linesOf, loadText, zonesOf } from "../support/desired.ts";
import { memoryFiles } from "../support/memory-files.ts";

const good = "zones:\n  - name: good.example\n";

function zone(entry: string): string {
  return `zones:\n  - name: shop.example\n    ${entry}\n`;
}

function policy(rest: string): string {
  return zone(`page_shield: { policies: { items: [{ key: a, action: log, ${rest} }] } }`);
}

function list<T>(length: number, item: (index: number) => T): readonly T[] {
  return Array.from({ length }, (_, index) => item(index));
}

function chain(length: number): string {
  return list(length, (index) => `  p${index}: { extends: [p${index + 1}] }\n`).join("");
}

describe("one file that is too much", () => {
  it.for([
    { what: "an ordered map", text: "zones: !!omap [ a: 1 ]\n", code: "1:8 YAML_TAG" },
    { what: "pairs", text: "zones: !!pairs\n  - a: 1\n", code: "1:8 YAML_TAG" },
    { what: "a set", text: "zones: !!set { a, b }\n", code: "1:8 YAML_TAG" },
    { what: "a merge key as a value", text: "zones: !!merge x\n", code: "1:8 YAML_TAG" },
    { what: "a tag of another kind", text: "zones: !!map [a]\n", code: "1:8 YAML_TAG" },
    {
      what: "a chain of 6,000 profiles",
      text: `profiles:\n${chain(6_000)}  p6000: {}\n${zone("profiles: [p0]")}`,
      code: "43:19 TOO_MANY_PROFILES",
    },
    {
      what: "a cycle of 600 profiles",
      text: `profiles:\n${chain(600)}  p600: { extends: [p0] }\n${zone("profiles: [p0]")}`,
      code: "602:21 PROFILE_CYCLE",
    },
    {
      what: "a list of 21,000 sources",
      text: policy(
        `expression: "true", value: { script-src: [${list(21_000, (n) => `s${n}`).join(",")}] }`,
      ),
      code: "3:104 YAML_TOO_LARGE",
    },
    {
      what: "a list of 2,000 sources",
      text: policy(
        `expression: "true", value: { script-src: [${list(2_000, (n) => `s${n}`).join(",")}] }`,
      ),
      code: "3:104 WRONG_VALUE",
    },
    {
      what: "300 policies",
      text: zone(
        `page_shield: { policies: { items: [${list(300, (n) => `{ key: k${n}, remove: true }`).join(",")}] } }`,
      ),
      code: "3:39 WRONG_VALUE",
    },
  ])("is a diagnostic, and the others go on: $what", async ({ text, code }, { expect }) => {
    const state = await desiredBench({ "a.yaml": text, "b.yaml": good }).load();
    expect(codesOf(state)).toContain(code);
    expect(state.diagnostics.length).toBeLessThanOrEqual(101);
    expect(zonesOf(state)).toEqual(["good.example"]);
    expect(state.stale).toEqual(["a.yaml"]);
  });

  it("has a limited number of warnings, which do not make it an error", async ({ expect }) => {
    const unused = list(1_500, (index) => `  p${index}: {}\n`).join("");
    const state = await loadText(`profiles:\n${unused}${zone("mode: observe")}`);
    const codes = state.diagnostics.map(({ code }) => code);
    expect(codes.filter((code) => code === "UNUSED_PROFILE")).toHaveLength(1_000);
    expect(linesOf(state).at(-1)).toBe(
      "a.yaml:1:1: warning: the file has more than 1,000 warnings; these are the first; fix these first [TOO_MANY_WARNINGS]",
    );
    expect(state.stale).toEqual([]);
  });

  it("reports its errors although 200 warnings come first", async ({ expect }) => {
    const warnings = list(
      200,
      (n) => `{ key: k${n}, action: log, expression: "true", value: "img-src http://a.example" }`,
    );
    const many = zone(`page_shield: { policies: { items: [${warnings.join(", ")}] } }`);
    const state = await loadText(`${many}  - name: b.example\n    oops: 1\n`);
    expect(codesOf(state)).toContain("5:5 UNKNOWN_KEY");
  });
});

describe("null in a map of directives", () => {
  it("removes the directives of a profile", async ({ expect }) => {
    const profile = `profiles:
  base:
    page_shield: { policies: { items: [{ key: a, action: log, expression: "true", value: { img-src: ["'self'"], font-src: ["'self'"] } }] } }
`;
    const entry = `profiles: [base]
    page_shield: { policies: { items: [{ key: a, value: { font-src: null } }] } }`;
    const state = await loadText(profile + zone(entry));
    expect(linesOf(state)).toEqual([]);
    expect(state.documents[0]?.content.policies?.items[0]?.value).toBe("img-src 'self'");
  });
});

describe("an exception that nothing should have thrown", () => {
  /** Reading a large file sets an alarm. */
  const brokenClock = {
    alarm: () => {
      throw new TypeError("no alarm");
    },
  };
  const large = `zones:\n  - name: large.example\n${"#".repeat(300_000)}\n`;

  it("is a diagnostic of its file, which keeps its last good version", async ({
    expect,
    signal,
  }) => {
    const disk = memoryFiles({ "/zones/a.yaml": good, "/zones/b.yaml": good });
    disk.write("/zones/b.yaml", "zones:\n  - name: other.example\n");
    const bugs: unknown[] = [];
    const bug = (error: unknown): void => void bugs.push(error);
    const clock = brokenClock;
    const loader = new ZoneFileLoader({ path: "/zones", files: disk.port, clock, bug });
    expect(zonesOf(await loader.load(signal))).toEqual(["good.example", "other.example"]);
    disk.write("/zones/a.yaml", large);
    disk.write("/zones/b.yaml", "zones:\n  - name: next.example\n");
    const state = await loader.load(signal);
    expect(linesOf(state)).toEqual([
      "a.yaml:1:1: error: zonewarden failed unexpectedly: TypeError: no alarm; report it as a bug of zonewarden; what was active before stays active [INTERNAL_ERROR]",
    ]);
    expect(zonesOf(state)).toEqual(["good.example", "next.example"]);
    expect(bugs).toEqual([new TypeError("no alarm")]);
    // The same bytes are not tried again.
    await loader.load(signal);
    expect(bugs).toHaveLength(1);
  });

  it("anywhere else in a load leaves everything as it was, and is reported", async ({
    expect,
    signal,
  }) => {
    const { port } = memoryFiles({ "/zones/a.yaml": good });
    let isBroken = false;
    // What is no list of bytes cannot be hashed.
    const read: typeof port.read = (...parameters) =>
      isBroken ? Promise.resolve(Reflect.get(port, "nothing")) : port.read(...parameters);
    const bugs: unknown[] = [];
    const loader = new ZoneFileLoader({
      path: "/zones",
      files: { ...port, read },
      clock: systemClock,
      bug: (error) => bugs.push(error),
    });
    await loader.load(signal);
    isBroken = true;
    const state = await loader.load(signal);
    expect(codesOf(state)).toEqual(["1:1 INTERNAL_ERROR"]);
    expect(state.diagnostics[0]?.place.file).toBe(".");
    expect(zonesOf(state)).toEqual(["good.example"]);
    expect(state.usable).toBe(false);
    expect(bugs).toHaveLength(1);
  });
});

describe("an environment that makes the YAML package print what it reads", () => {
  it("prints nothing of a file, and stays as it was", async ({ expect, onTestFinished }) => {
    const print = vi.spyOn(console, "log").mockReturnValue(undefined);
    const printTree = vi.spyOn(console, "dir").mockReturnValue(undefined);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    });
    vi.stubEnv("LOG_TOKENS", "1");
    vi.stubEnv("LOG_STREAM", "1");
    const { env } = process;
    expect(zonesOf(await loadText(good))).toEqual(["good.example"]);
    expect(codesOf(await loadText("zones: [\n"))).not.toEqual([]);
    expect(print).not.toHaveBeenCalled();
    expect(printTree).not.toHaveBeenCalled();
    expect(process.env).toBe(env);
  });
});
