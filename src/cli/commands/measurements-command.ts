import type { Host } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { seriesJson } from "../../measure/measured-json.ts";
import {
  type CountSum,
  readSeries,
  sumOfHours,
  type ZoneSeries,
} from "../../measure/measured-series.ts";
import { hoursText, numberText, shareText } from "../../measure/measured-text.ts";
import type { MeasurementReader } from "../../measure/measurement-store.ts";
import { shownState } from "../../measure/measurement.ts";
import { csvText } from "../../render/csv-cell.ts";
import { jsonText, plural } from "../../render/format.ts";
import { momentIn } from "../../syntax/duration.ts";
import { hourMs } from "../../syntax/time-units.ts";
import { type ZoneName, zoneName } from "../../zone/zone.ts";
import type { DefineCommand, SessionFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { tableText } from "../output/table.ts";
import { withMeasurements } from "../session/stored.ts";

export const defineMeasurements: DefineCommand = (command, host) => {
  command
    .argument("<zone>", "name of the zone")
    .configFile()
    .formats("text", "json", "csv")
    .option("--since <when>", "from this moment or so long ago: 2026-03-01, 24h, 7d", "7d")
    .examples(
      "zonewarden measurements shop.example.com",
      "zonewarden measurements shop.example.com --since 30d --format csv > counts.csv",
    )
    .runs((zone: string, flags: MeasurementFlags) => printMeasurements(zone, flags, host));
};

interface MeasurementFlags extends SessionFlags {
  readonly format: "text" | "json" | "csv";
  readonly since: string;
}

/** Prints what policies and rules of a zone did, from the store. Needs no network. */
async function printMeasurements(
  name: string,
  flags: MeasurementFlags,
  host: Host,
): Promise<ExitCode> {
  const zone = zoneName(name);
  const now = host.clock.now();
  const since = momentIn(flags.since, now);
  if (zone === undefined) return fail(`measurements: ${name} is not the name of a zone`, host);
  if (since === undefined || since > now) {
    const help = "--since takes a moment (2026-03-01) or a time before now (24h, 7d)";
    return fail(`measurements: ${help}`, host);
  }
  const config = await loadConfigOrPrint(flags.config, host, AbortSignal.timeout(10_000));
  if (config === undefined) return exitCodes.invalid;
  return withMeasurements(config, flags.config, host, (reader) =>
    printSeries(reader, { zone, since, now }, flags.format, host),
  );
}

async function printSeries(
  reader: MeasurementReader,
  { zone, since, now }: { zone: ZoneName; since: Date; now: Date },
  format: MeasurementFlags["format"],
  host: Host,
): Promise<ExitCode> {
  const series = await readSeries(reader, zone, since, now);
  const texts = { text: textOf, json: () => jsonText(seriesJson(series)), csv: csvOf };
  host.stdout.write(texts[format](series));
  if (series.requests.some(({ state }) => state !== "missing")) return exitCodes.done;
  const why = "set measurements in the configuration of the daemon, and wait for its first hour";
  return fail(`${zone}: nothing is measured since ${timeText(series.since)}: ${why}`, host);
}

/** A moment without seconds: `2026-11-26 12:00`. */
function timeText(moment: Date): string {
  return moment.toISOString().slice(0, 16).replace("T", " ");
}

function textOf({ zone, since, until, requests, objects }: ZoneSeries): string {
  const all = sumOfHours(requests, requests);
  const hours = plural(requests.length, "hour");
  const head = `${zone}, ${timeText(since)} to ${timeText(until)} UTC (${hours}): ${requestsText(all)}`;
  if (objects.size === 0) return `${head}\n`;
  const rows = [...objects].map(([key, counts]) => {
    const sum = sumOfHours(counts, requests);
    const shown = sum.hours.measured === 0 ? "unknown" : numberText(sum.count, sum);
    const actions = Object.entries(sum.actions).map(([action, count]) => `${action} ${count}`);
    return [key, shown, shareText(sum), actions.join(", "), hoursText(sum)];
  });
  const table = { head: ["object", "count", "of requests", "actions", "hours"], rows };
  return `${head}\n\n${tableText(table)}\n`;
}

function requestsText(all: CountSum): string {
  if (all.hours.measured === 0) return `requests unknown (${hoursText(all)})`;
  if (all.count === 0) return `no traffic (${hoursText(all)})`;
  return `${numberText(all.count, all)} requests (${hoursText(all)})`;
}

/** A line for each object, or the requests, and each hour; what was not measured has no count. */
function csvOf({ since, requests, objects }: ZoneSeries): string {
  const lines = [["requests", requests] as const, ...objects].flatMap(([what, counts]) =>
    counts.map((hour, nth) => {
      const at = new Date(since.getTime() + nth * hourMs).toISOString();
      if (hour.state !== "measured") {
        return [what, at, hour.state, hour.state === "refused" ? hour.reason : "", "", "", ""];
      }
      const actions = Object.entries(hour.actions).map(([action, count]) => `${action} ${count}`);
      const state = shownState(hour, requests[nth]);
      return [what, at, state, "", hour.count, actions.join("; "), hour.sampleInterval];
    }),
  );
  const head = ["object", "hour", "state", "reason", "count", "actions", "sample_interval"];
  return csvText([head, ...lines]);
}
