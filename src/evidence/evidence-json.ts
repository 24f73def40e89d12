import { type JsonObject, jsonOf } from "../syntax/json.ts";
import type { DeclaredScripts } from "../zone/declared-scripts.ts";
import type { KeptHistory } from "./evidence-input.ts";
import { entryJson, filesJson, zoneTables } from "./evidence-tables.ts";
import type { Evidence, ZoneEvidence } from "./evidence.ts";

/** The pack as JSON, in the form of `schemas/evidence.schema.json`. */
export function evidenceJson({ period, files, history, limits, zones }: Evidence): JsonObject {
  return {
    format: "zonewarden-evidence/1",
    // `until` is not part of the period.
    period: jsonOf(period),
    files: filesJson(files),
    history: keptHistoryJson(history),
    limits,
    zones: zones.map(zoneJson),
  };
}

function keptHistoryJson({ files, flaws, remarks, damaged, isProved }: KeptHistory): JsonObject {
  return jsonOf({
    result: flaws.length === 0 ? "intact" : "changed",
    compared: isProved,
    unreadableLines: damaged,
    files: files.map(({ file, lines, chains, firstAt, lastAt, head: last }) => {
      const head = last && { number: last.n, hash: last.hash };
      return { file, lines, chains, firstAt, lastAt, head };
    }),
    flaws,
    remarks,
  });
}

function zoneJson(zone: ZoneEvidence): JsonObject {
  const { atEnd, limits, controls, days, checks, longestPause, pauses } = zone;
  const { declared } = atEnd;
  const scripts = typeof declared === "string" ? undefined : declared.scripts;
  return {
    ...jsonOf({ zone: zone.zone, limits, controls, days, checks, longestPause, pauses }),
    declared: scripts === undefined ? null : { ...declaredJson(scripts), files: filesJson(atEnd) },
    ...Object.fromEntries(zoneTables(zone).flatMap(({ json }) => Object.entries(json()))),
  };
}

function declaredJson({ pages, authorised, goneAfterDays }: DeclaredScripts): JsonObject {
  return { ...jsonOf({ pages, goneAfterDays }), authorised: authorised.map(entryJson) };
}
