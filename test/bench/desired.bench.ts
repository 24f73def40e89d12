import { parseAllDocuments } from "yaml";

import { ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import { systemClock } from "../../src/host/clock.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { median, processorTime } from "./processor-time.ts";
import type { BenchResult } from "./run.ts";

const files = 200;
const zonesPerFile = 50;
/** The promise: at most this many times what `yaml` alone takes for the same files. */
const promised = 1.6;
const rounds = 5;

/** Loads, validates and merges 10,000 zones from 200 files, against the `yaml` package parsing them one by one. */
export async function bench(): Promise<BenchResult> {
  const { ratio, line } = await loadAgainstYaml(fleet(), files * zonesPerFile);
  const text = `${line} (promised ${promised})`;
  return { name: "desired", line: text, kept: ratio <= promised };
}

/**
 * Loads files against the `yaml` package, and says how many times longer that takes.
 *
 * @param documents how many the files have
 */
export async function loadAgainstYaml(
  texts: readonly Text[],
  documents: number,
): Promise<{ readonly ratio: number; readonly line: string }> {
  await yamlAloneIn(texts.slice(0, 10));
  const alone: number[] = [];
  const ours: number[] = [];
  const again: number[] = [];
  // Taking turns, so that a machine that gets slower or faster does so for both.
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await yamlAloneIn(texts));
    const { first, second } = await oursIn(texts, documents);
    ours.push(first);
    again.push(second);
  }
  const ratio = median(ours.map((cost, round) => cost / (alone[round] ?? 0)));
  const line = [
    `${documents} entries from ${texts.length} files`,
    `after one changed file ${Math.round(Math.min(...again))} ms`,
    `${Math.round(Math.min(...ours))} ms against ${Math.round(Math.min(...alone))} ms of yaml alone`,
    `ratio ${ratio.toFixed(2)}`,
  ].join(", ");
  return { ratio, line };
}

export type Text = readonly [string, string];

function yamlAloneIn(texts: readonly Text[]): Promise<number> {
  return processorTime(() => {
    for (const [, text] of texts) for (const document of parseAllDocuments(text)) document.toJS();
  });
}

async function oursIn(
  texts: readonly Text[],
  documents: number,
): Promise<{ first: number; second: number }> {
  const disk = memoryFiles(Object.fromEntries(texts));
  const desired = new ZoneFileLoader({ path: "/zones", files: disk.port, clock: systemClock });
  const load = async (): Promise<void> => {
    const state = await desired.load(AbortSignal.timeout(600_000));
    if (state.documents.length === documents) return;
    throw new Error(
      `only ${state.documents.length} zones: ${JSON.stringify(state.diagnostics[0])}`,
    );
  };
  const first = await processorTime(load);
  const [file = "", text = ""] = texts.at(-1) ?? [];
  disk.write(file, `${text}# changed\n`);
  return { first, second: await processorTime(load) };
}

/** As fleets look: common things in profiles, and a policy of its own in each zone. */
export function fleet(): readonly Text[] {
  const profiles = `profiles:
  baseline:
    page_shield:
      settings: { enabled: true }
    managed_rules:
      rules:
        - { key: owasp, deploy: owasp, paranoia_level: 2, score_threshold: 40, action: block }
  strict:
    extends: [baseline]
    managed_rules:
      rules:
        - { key: owasp, paranoia_level: 3 }
`;
  return Array.from({ length: files }, (_, file): Text => {
    const zones = Array.from({ length: zonesPerFile }, (__, index) => zone(file, index));
    return [`/zones/team-${file}.yaml`, `${file === 0 ? profiles : ""}zones:\n${zones.join("")}`];
  });
}

function zone(file: number, index: number): string {
  const profile = index % 3 === 0 ? "strict" : "baseline";
  return entryOf(index, `team-${file}.example.com`, `    profiles: [${profile}]\n`);
}

export function nameOf(index: number, domain: string): string {
  return `shop-${index}.${domain}`;
}

/**
 * An entry of a zone with a policy and an exception of its own.
 *
 * @param keys lines between its name and these
 */
export function entryOf(index: number, domain: string, keys: string): string {
  const name = nameOf(index, domain);
  return `  - name: ${name}
${keys}    page_shield:
      policies:
        items:
          - key: checkout
            description: Scripts of the checkout
            action: ${index % 2 === 0 ? "log" : "allow"}
            expression: http.host eq "${name}" and starts_with(http.request.uri.path, "/checkout")
            enabled: true
            value:
              default-src: ["'self'"]
              script-src: ["'self'", cdn.example.com, js.${domain}]
              connect-src: ["'self'", api-${index}.example.com]
    managed_rules:
      rules:
        - key: upload
          before: owasp
          expression: http.request.uri.path eq "/upload"
          skip: { rulesets: [owasp] }
`;
}
