import type { Notification } from "../notify/notification.ts";
import { notificationOfScripts } from "../notify/script-notification.ts";
import type { ScriptMemory } from "../reconcile/inventory/inventory-poller.ts";
import { scriptWatchFrom, scriptWatchText } from "../render/scripts/scripts-json.ts";
import type { Fleet, Subscriber } from "../state/fleet.ts";
import {
  type ScriptRecord,
  scriptRecordOf,
  type ScriptWatch,
} from "../state/scripts/script-watch.ts";
import type { StateStore } from "../store/state-store.ts";
import { logScriptEvents } from "../telemetry/log/log-scripts.ts";
import type { Logger } from "../telemetry/log/log.ts";

const prefix = "scripts/";

/** The last check of a zone's scripts, as it is stored; what is stored wrongly counts as not stored. */
export function storedScripts(
  store: Pick<StateStore, "get">,
  zone: string,
): ScriptWatch | undefined {
  const text = store.get(`${prefix}${zone}`);
  return text === undefined ? undefined : scriptWatchFrom(text);
}

/** Forgets the scripts of zones that are no longer declared. */
export function scriptsSubscriber(store: StateStore): Subscriber {
  return {
    zone: () => undefined,
    load: () => undefined,
    gone: (zones) => {
      for (const { declared } of zones) store.set(`${prefix}${declared.name}`, undefined);
    },
  };
}

/** Where the results of checks go. */
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
      store.set(`${prefix}${zone}`, isLast ? undefined : scriptWatchText(watch));
      logScriptEvents(logger, zone, check.events);
      const notification = notificationOfScripts(zone, check, { at, revision, commit });
      if (notification !== undefined) notify(notification);
    },
  };
}
