import { ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import { selectZones } from "../../src/desired/zones/select.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { Zone } from "../../src/zone/zone.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { numbered } from "../support/revision-files.ts";
import { entryOf, loadAgainstYaml, nameOf, type Text } from "./desired.bench.ts";
import { processorTime } from "./processor-time.ts";
import type { BenchResult } from "./run.ts";

const files = 200;
const zonesPerFile = 50;
const teams = 20;
/** The promise: at most this many times what `yaml` alone takes for the same files. */
const promised = 1.5;

/** Loads 10,000 zones with three layers each, and finds them in a listing twice. */
export async function bench(): Promise<BenchResult> {
  const texts = fleet();
  const { ratio, line } = await loadAgainstYaml(texts, files * zonesPerFile + teams + 1);
  const disk = memoryFiles(Object.fromEntries(texts));
  const loader = new ZoneFileLoader({ path: "/zones", files: disk.port, clock: systemClock });
  const { documents } = await loader.load(AbortSignal.timeout(600_000));
  const zones = listing();
  const select = (): void => {
    const found = selectZones(documents, { zones, unlisted: [] });
    const isWhole = found.zones.every((each) => each.documents?.length === 3);
    if (found.zones.length === zones.length && isWhole) return;
    throw new Error(`only ${found.zones.length} zones: ${JSON.stringify(found.diagnostics[0])}`);
  };
  const first = await processorTime(select);
  const second = await processorTime(select);
  const selection = `selection ${Math.round(first)} ms, again ${Math.round(second)} ms`;
  return {
    name: "layers",
    line: `${line} (promised ${promised}), ${selection}`,
    kept: ratio <= promised,
  };
}

/** One layer for all zones, one for each team, and an entry of each zone over both. */
function fleet(): readonly Text[] {
  const layers = Array.from(
    { length: teams },
    (_, team) => `  - match: { labels: { team: team-${team} } }
    priority: 10
    managed_rules:
      rules:
        - { key: owasp, paranoia_level: ${(team % 3) + 2} }
`,
  );
  const base = `zones:
  - match: { name: "*" }
    page_shield:
      settings: { enabled: true }
    managed_rules:
      rules:
        - { key: owasp, deploy: owasp, paranoia_level: 1, score_threshold: 40, action: block }
${layers.join("")}`;
  const own = Array.from({ length: files }, (_, file): Text => {
    const zones = Array.from({ length: zonesPerFile }, (__, index) => entry(file, index));
    return [`/zones/file-${file}.yaml`, `zones:\n${zones.join("")}`];
  });
  return [["/zones/layers.yaml", base], ...own];
}

function domainOf(file: number): string {
  return `file-${file}.example.com`;
}

function entry(file: number, index: number): string {
  const team = (file + index) % teams;
  const keys = `    layers: true\n    labels: { team: team-${team} }\n`;
  return entryOf(index, domainOf(file), keys);
}

function listing(): readonly Zone[] {
  return Array.from({ length: files * zonesPerFile }, (_, number) => {
    const domain = domainOf(Math.floor(number / zonesPerFile));
    return numbered(nameOf(number % zonesPerFile, domain), number);
  });
}
