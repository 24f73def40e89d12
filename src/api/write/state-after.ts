import { isJsonObject } from "../../syntax/json.ts";
import type { LiveEntrypoint, LivePolicy, LiveZone } from "../../zone/live-zone.ts";
import type { Write } from "../../zone/write.ts";
import { entrypointOf } from "../read/entrypoint.ts";
import { policyOf, settingsOf } from "../read/page-shield.ts";
import { readEntrypoint, readPolicies, readSettings } from "../read/read-zone.ts";
import type { Get } from "../request/call.ts";

/** Folds the answer of a write into the state that was read; what the answer leaves out is read again. */
export async function stateAfter(
  send: Get,
  live: LiveZone,
  write: Write,
  result: unknown,
  signal: AbortSignal,
): Promise<LiveZone> {
  switch (write.call) {
    case "update-settings":
      // The documentation's example of the answer leaves two of the settings out (SERVICE.md A.2).
      return {
        ...live,
        settings: settingsOf(result) ?? (await readSettings(send, live.zone, signal)),
      };
    case "create-policy":
    case "update-policy":
      return { ...live, policies: await policiesAfter(send, live, result, signal) };
    case "delete-policy":
      return { ...live, policies: live.policies?.filter(({ id }) => id !== write.id) };
    case "create-rule":
    case "update-rule":
    case "delete-rule":
    case "put-entrypoint":
      return {
        ...live,
        entrypoint:
          wholeRuleset(result, live.entrypoint) ?? (await readEntrypoint(send, live.zone, signal)),
      };
  }
}

const policyFields = ["id", "description", "action", "expression", "enabled", "value"];

/** Not every description says what an update answers: what is not a whole policy is not believed to be one. */
async function policiesAfter(
  send: Get,
  { zone, policies }: LiveZone,
  result: unknown,
  signal: AbortSignal,
): Promise<readonly LivePolicy[]> {
  const isWhole = isJsonObject(result) && policyFields.every((field) => field in result);
  const policy = isWhole ? policyOf(result) : undefined;
  if (policy === undefined || policies === undefined) return readPolicies(send, zone, signal);
  const at = policies.findIndex(({ id }) => id === policy.id);
  return at < 0 ? [...policies, policy] : policies.with(at, policy);
}

/** The answer is the whole ruleset (SERVICE.md B.1), but not every description says so: it may be the one rule. */
function wholeRuleset(
  result: unknown,
  before: LiveEntrypoint | undefined,
): LiveEntrypoint | undefined {
  if (!isJsonObject(result) || !Array.isArray(result["rules"])) return undefined;
  const after = entrypointOf(result);
  return before?.state === "present" && before.id !== after?.id ? undefined : after;
}
