import { remember, zoneKeys } from "../memory/state-keys.ts";
import type { StateStore } from "../memory/state-store.ts";
import type { Notification } from "../notify/notification.ts";
import { notificationOfScripts } from "../notify/script-notification.ts";
import type { ScriptMemory } from "../reconcile/inventory/inventory-poller.ts";
import type { Fleet } from "../state/fleet.ts";
import { type ScriptRecord, scriptRecordOf } from "../state/scripts/script-watch.ts";
import { logScriptEvents } from "../telemetry/log/log-scripts.ts";
import type { Logger } from "../telemetry/log/log.ts";

interface ScriptCheckPorts {
  readonly store: StateStore;
  readonly fleet: Fleet;
  readonly logger: Logger;
  readonly history: { readonly recordScripts: (record: ScriptRecord) => void };
  readonly notify: (notification: Notification) => void;
}

/** Remembers the checks of scripts in the fleet and in the state, and tells what is new: to history, log and notifications. */
export function scriptMemory({
  store,
  fleet,
  logger,
  history,
  notify,
}: ScriptCheckPorts): ScriptMemory {
  return {
    earlier: (zone) => fleet.zone(zone)?.scripts,
    checked: (zone, check, at, isLast) => {
      const { revision = "", commit } = fleet.load ?? {};
      const line = scriptRecordOf(check, { at, zone, revision, commit });
      if (line !== undefined) history.recordScripts(line);
      const watch = line?.read === undefined ? check.watch : { ...check.watch, recordedAt: at };
      fleet.recordScripts(zone, isLast ? undefined : watch);
      remember(store, zoneKeys.scripts, isLast ? undefined : watch, zone);
      logScriptEvents(logger, zone, check.events);
      const notification = notificationOfScripts(zone, check, { at, revision, commit });
      if (notification === undefined) return;
      notify({ ...notification, labels: fleet.zone(zone)?.declared.labels });
    },
  };
}
