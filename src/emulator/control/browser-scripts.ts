import type { EmulatedService } from "../emulated-service.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import type { FieldReader } from "../http/fields.ts";
import {
  afterLoad,
  loadMembers,
  scriptLoadIn,
  scriptWithUrl,
} from "../page-shield/loaded-scripts.ts";
import type { EmulatedZone } from "../state.ts";

/**
 * Browsers load a script: it appears, is on other pages, or has other content; or it is deleted.
 * Like the service, the emulator detects nothing while monitoring is off.
 */
export async function loadScript(
  service: EmulatedService,
  zone: EmulatedZone,
  fields: FieldReader,
): Promise<unknown> {
  fields.only(["zone", ...loadMembers]);
  const load = scriptLoadIn(fields);
  if (load.vanish && scriptWithUrl(zone, load.url) === undefined) {
    throw rejection(404, `${zone.name} has no script with this url`);
  }
  if (!load.vanish && !zone.settings.enabled) {
    throw rejection(400, `monitoring of ${zone.name} is off: nothing is detected`);
  }
  const next = afterLoad(zone, load, service.store.now());
  await service.commit(next);
  if (load.vanish) return { vanished: load.url };
  const script = scriptWithUrl(next, load.url);
  return { script: { ...script?.facts, ...script?.detail } };
}

function rejection(status: 400 | 404, message: string): Error {
  return apiError(status, unpublishedCodes.itemNotFound, message);
}
