import { findingKinds } from "../../state/scripts/script-watch.ts";
import { gauge, type MetricDefinition } from "./metric-definition.ts";

const zone = "declared zones";

/** The metrics of declared scripts. */
export const scriptMetrics = {
  scriptsOnPages: gauge(
    "zonewarden_scripts_on_pages",
    "Scripts in use on the pages whose scripts the zone declares; no script series if it declares none.",
    { zone, authorised: ["true", "false"] },
  ),
  scriptsCheckedAt: gauge(
    "zonewarden_scripts_last_check_success_timestamp_seconds",
    "Timestamp of the last check of declared scripts with an inventory that could be read; 0 before the first.",
    { zone },
  ),
  scriptFindings: gauge(
    "zonewarden_script_findings",
    "Findings on declared scripts that nobody has acknowledged.",
    { zone, kind: findingKinds },
  ),
  scriptsAcknowledged: gauge(
    "zonewarden_script_findings_acknowledged",
    "Findings on declared scripts that a file acknowledges.",
    { zone },
  ),
} satisfies Readonly<Record<string, MetricDefinition>>;
