import path from "node:path";

import { offlineLabels, offlineZone } from "../../desired/zones/offline-zone.ts";
import { evidenceJson } from "../../evidence/evidence-json.ts";
import { renderEvidencePage } from "../../evidence/evidence-page.ts";
import { evidenceCsv } from "../../evidence/evidence-tables.ts";
import { type Evidence, evidenceOf } from "../../evidence/evidence.ts";
import { readKeptHistory } from "../../evidence/kept-history.ts";
import type { Period } from "../../history/timeline.ts";
import type { HistoryFile } from "../../history/verify/verify-history.ts";
import type { Host } from "../../host/host.ts";
import { loadConfigOrPrint, loadDesiredOrPrint } from "../../host/load.ts";
import { namesOf } from "../../reconcile/fleet/desired-fleet.ts";
import { jsonText } from "../../render/format.ts";
import { withoutControls } from "../../render/terminal-safe.ts";
import { sha256 } from "../../syntax/digest.ts";
import { dayMs } from "../../syntax/time-units.ts";
import { startOf } from "../../syntax/written-date.ts";
import type { ZoneDocument } from "../../zone/desired-zone.ts";
import type { LabelSelector } from "../../zone/label-selector.ts";
import { zoneName, type ZoneName } from "../../zone/zone.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { existingOf, writeNew } from "../output/files.ts";
import { type ProofFlags, proofIn } from "../session/plan-keys.ts";
import { historyIn, withHistory } from "../session/stored.ts";
import { declaredSubject, readPastFiles } from "./past-files.ts";

export const defineEvidence: DefineCommand = (command, host) => {
  command
    .configFile()
    .option("--zone <names...>", "the zones, by name")
    .selector()
    .requiredOption("--since <date>", "the first day (UTC): 2026-08-01")
    .requiredOption("--until <date>", "the last day (UTC), which is part of the period")
    .requiredOption("--out <directory>", "where to write the files")
    .option(
      "--history <files...>",
      "history files, oldest first; that of the configuration by default",
    )
    .option("--head <hash>", "a head that somebody else has kept, from a log or a notification")
    .option("--verify-key <file>", "the public key (PEM) of history.sign_key")
    .option("--force", "replace files that exist", false)
    .examples(
      "zonewarden evidence --zone shop.example.com --since 2026-08-01 --until 2026-10-31 --out evidence",
      "zonewarden evidence --zone shop.example.com --since 2026-08-01 --until 2026-10-31 --out evidence --verify-key history-verify.pem",
    )
    .runs((flags: EvidenceFlags) => writeEvidence(flags, host));
};

interface EvidenceFlags extends ProofFlags {
  readonly config: string;
  readonly zone?: readonly string[];
  readonly selector?: LabelSelector;
  readonly since: string;
  readonly until: string;
  readonly out: string;
  readonly history?: readonly string[];
  readonly force: boolean;
}

/** Writes the pack from the history and the zone files. Needs no network. */
async function writeEvidence(flags: EvidenceFlags, host: Host): Promise<ExitCode> {
  const period = periodIn(flags);
  if (typeof period === "string") return fail(`evidence: ${period}`, host);
  const named = zonesIn(flags);
  if (typeof named === "string") return fail(`evidence: ${named}`, host);
  const proof = await proofIn(flags, host);
  if (typeof proof === "string") return fail(`evidence: ${proof}`, host);
  const signal = new AbortController().signal;
  const config = await loadConfigOrPrint(flags.config, host, signal);
  const desired = config && (await loadDesiredOrPrint(config, host, signal));
  if (config === undefined || desired === undefined) return exitCodes.invalid;
  const zones = withLabels(named, flags.selector, desired.documents);
  if (zones.length === 0) return fail("evidence: --selector: no named zone has these labels", host);
  const write = async (histories: readonly HistoryFile[]): Promise<ExitCode> => {
    const kept = await readKeptHistory(histories, proof);
    const used = kept.records.filter(
      ({ zone, at, revision }) =>
        zones.some((each) => each === zone) &&
        at >= period.since &&
        at < period.until &&
        revision !== desired.revision,
    );
    const evidence = evidenceOf({
      ...kept,
      period,
      files: { revision: desired.revision, commit: desired.commit },
      past: await readPastFiles(used, zones, config, host, signal),
      isChecking: config.inventory?.kinds.includes("script") ?? false,
      subjects: zones.map((zone) => declaredSubject(zone, desired.documents)),
    });
    return save(evidence, flags, host);
  };
  if (flags.history !== undefined) return write(flags.history.map((file) => historyIn(file, host)));
  if (config.store === undefined) return fail(`evidence: ${flags.config} ${noHistory}`, host);
  return withHistory(config, flags.config, host, (history) => write([history]));
}

const noHistory =
  "sets no store, and without it nothing is kept; name the files that you have with --history";

const longestDays = 3_660;

/** The days from the first to the last; a message where the flags name none. */
function periodIn({ since, until }: EvidenceFlags): Period | string {
  const [first, last] = [dayIn(since), dayIn(until)];
  if (first === undefined || last === undefined) {
    return "--since and --until take days: 2026-08-01";
  }
  if (first > last) return "--since is after --until";
  const end = new Date(Number(last) + dayMs);
  if (Number(end) - Number(first) > longestDays * dayMs) {
    return "the period is longer than ten years";
  }
  return { since: first, until: end };
}

function dayIn(text: string): Date | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? startOf(text) : undefined;
}

/** The zones that the flags name; none: all that the files name. */
function zonesIn({ zone: texts, selector }: EvidenceFlags): readonly ZoneName[] | string {
  if (texts === undefined && selector === undefined) {
    return "name the zones with --zone or --selector";
  }
  const names = new Set<ZoneName>();
  for (const text of texts ?? []) {
    const name = zoneName(text);
    if (name === undefined) return `--zone takes names of zones: ${text} is none`;
    names.add(name);
  }
  return [...names].toSorted();
}

function withLabels(
  named: readonly ZoneName[],
  selector: LabelSelector | undefined,
  documents: readonly ZoneDocument[],
): readonly ZoneName[] {
  if (selector === undefined) return named;
  const names = named.length > 0 ? named : namesOf(documents).toSorted();
  return names.filter((name) => selector(offlineLabels(offlineZone(name, documents))));
}

/** Names the hashes of the other files, as `sha256sum --check` reads them. */
const manifest = "SHA256SUMS";

async function save(evidence: Evidence, flags: EvidenceFlags, host: Host): Promise<ExitCode> {
  const files = [
    { file: "evidence.html", text: renderEvidencePage(evidence) },
    {
      file: "evidence.json",
      // JSON escapes neither C1 controls nor characters that change the direction of text.
      text: withoutControls(jsonText(evidenceJson(evidence))),
    },
    ...evidenceCsv(evidence),
  ];
  const sums = files.map(({ file, text }) => `${sha256(text)}  ${file}\n`).join("");
  const all = [...files, { file: manifest, text: sums }];
  const directory = path.resolve(host.directory, flags.out);
  const existing = await existingOf(
    all.map(({ file }) => file),
    directory,
    host,
  );
  if (existing.length > 0 && !flags.force) {
    return fail(
      `evidence: ${flags.out} already has ${existing.join(", ")}; name another directory, or use --force`,
      host,
    );
  }
  for (const file of all) await writeNew(file, directory, host, flags.force, true);
  host.stdout.write(
    `${all.length} files in ${flags.out}; SHA-256 of ${manifest}: ${sha256(sums)}\n`,
  );
  const limits = [
    ...evidence.limits,
    ...evidence.zones.flatMap(({ zone, limits: own }) => own.map((limit) => `${zone}: ${limit}`)),
  ];
  for (const limit of limits) host.stderr.write(`missing: ${limit}\n`);
  return limits.length === 0 ? exitCodes.done : exitCodes.partial;
}
