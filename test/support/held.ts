import { planHash } from "../../src/plan/guard/release.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";

/** The hash that a hold asks a person to accept. */
export function hashToAccept(message: string | undefined): string {
  const [, hash] = /add (\S+) to limits\.accept/.exec(message ?? "") ?? [];
  if (hash === undefined) throw new Error(`no hash to accept: ${message}`);
  return hash;
}

/** The hash of the plan that the first report holds; takes all reports. */
export function toldHash({ reports }: { readonly reports: ZoneReport[] }): string {
  const [report] = reports.splice(0);
  if (report?.result !== "held") throw new Error(`not held: ${String(report?.result)}`);
  return planHash(report.plan);
}
