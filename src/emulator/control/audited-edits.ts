import { dashboardUser, recordManagedMove, recordWrite } from "../audit/audited-write.ts";
import type { EmulatedService } from "../emulated-service.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import type { FieldReader } from "../http/fields.ts";
import { rayOf } from "../http/reply.ts";
import { timestamp } from "../http/time.ts";
import { managedNow, managedRulesetId } from "../rulesets/managed.ts";
import type { EmulatedZone } from "../state.ts";
import { idFrom } from "../store.ts";
import { editZone } from "./edit.ts";

/** The person to whom an edit belongs that names nobody. */
const defaultActor = "dashboard@example.com";

/**
 * Edits a zone, and records the edit in the audit log as a dashboard user's; gives what was edited.
 */
export async function editAsPerson(
  service: EmulatedService,
  zone: EmulatedZone,
  fields: FieldReader,
): Promise<unknown> {
  const { store, faults } = service;
  const email = fields.text("actor") ?? defaultActor;
  const { isLenient } = store;
  const writeContext = { now: store.now(), newId: () => store.newId(), isLenient };
  const { next, result, write } = editZone(zone, fields, writeContext);
  await service.commit(next);
  const { method, created, body } = write;
  const path = `/zones/${zone.id}${write.path}`;
  recordWrite(
    service,
    {
      owner: zone,
      actor: dashboardUser(email, idFrom(`user/${email}`)),
      method,
      path,
      status: 200,
      ray: rayOf(service),
      userAgent: "Synthetic browser",
      created,
      body,
    },
    faults.auditEffectsOn({ method, path, credential: email }),
  );
  return result;
}

/** Moves a managed ruleset to another version, as the service does by itself (SERVICE.md B.7). */
export async function moveManaged(service: EmulatedService, fields: FieldReader): Promise<unknown> {
  fields.only(["ruleset", "version"]);
  const { store } = service;
  const name = fields.required("ruleset", fields.text("ruleset"));
  const id = managedRulesetId(name);
  const ruleset = managedNow(store).find(({ current }) => current.id === id)?.current;
  if (ruleset === undefined) {
    const message = `there is no managed ruleset ${name}`;
    throw apiError(404, unpublishedCodes.itemNotFound, message);
  }
  const version = fields.text("version") ?? `${Number(ruleset.version) + 1}`;
  if (!/^[1-9]\d{0,8}$/.test(version)) {
    throw fields.error("version", 'version must be digits, as in "88"');
  }
  store.moveManaged(id, { version, last_updated: timestamp(store.now()) });
  for (const account of store.accounts()) recordManagedMove(service, account, id);
  await service.save();
  return { ruleset: ruleset.name, version };
}
