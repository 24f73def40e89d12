import { describe, it } from "vitest";

import { maxDiagnostics } from "../../src/desired/diagnostics.ts";
import { parseZoneFile } from "../../src/desired/load/parse-zone-file.ts";
import { readYaml } from "../../src/desired/yaml/read-yaml.ts";

/** The processor time of one run. */
function processorTimeOf(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

const list = (item: string, length = 30_000): string =>
  `[${Array.from({ length }, () => item).join(",")}]`;
const map = (value: string): string =>
  `{${Array.from({ length: 30_000 }, (_, index) => `x${index}: ${value}`).join(",")}}`;
const entry = (what: string): string => `zones: [{ name: a.example, ${what} }]`;
const policy = (value: string): string =>
  entry(`page_shield: { policies: { items: [{ key: a, value: ${value} }] } }`);

describe("a file with tens of thousands of mistakes", () => {
  it.for([
    { what: "entries", text: `zones: ${list("a")}` },
    { what: "profiles", text: `profiles: ${map("a")}` },
    { what: "keys of the document", text: map("a") + "\n" },
    { what: "names of profiles", text: `profiles: ${map("{}").replaceAll("x", "X")}` },
    { what: "keys of an entry", text: `zones: [${map("a")}]` },
    {
      what: "policies of an entry",
      text: entry(`page_shield: { policies: { items: ${list("a")} } }`),
    },
    {
      what: "hundred thousand policies of one key",
      text: entry(`page_shield: { policies: { items: ${list("{key: a}", 150_000)} } }`),
    },
    { what: "rules of an entry", text: entry(`managed_rules: { rules: ${list("{a: b}")} }`) },
    { what: "directives of a policy", text: policy(map("[a]")) },
    { what: "sources of a policy", text: policy(`{ script-src: ${list("''")} }`) },
    {
      what: "expressions",
      text: `zones: ${list("{name: a, managed_rules: {rules: [{key: a, expression: '('}]}}")}`,
    },
  ])("in its $what takes hardly longer than to compose it", ({ text: wrong }, { expect }) => {
    const composing = processorTimeOf(() => readYaml("a.yaml", wrong));
    const bytes = new TextEncoder().encode(wrong);
    let file = parseZoneFile("a.yaml", "hash", new Uint8Array());
    const parsing = processorTimeOf(() => (file = parseZoneFile("a.yaml", "hash", bytes)));
    expect(file.usable).toBe(false);
    expect(file.diagnostics.length).toBeLessThanOrEqual(maxDiagnostics + 1);
    // Work that grows with the square of the mistakes would take a thousand times as long.
    expect(parsing).toBeLessThan(20 * composing);
  });
});
