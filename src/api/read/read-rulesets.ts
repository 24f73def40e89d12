import { type JsonObject, isJsonObject, isObjectList, coerceObjects } from "../../syntax/json.ts";
import type { Ruleset, RulesetHead, RulesetRule } from "../../zone/ruleset.ts";
import { isServiceId } from "../../zone/service-id.ts";
import type { Zone } from "../../zone/zone.ts";
import { malformedResult } from "../request/answer.ts";
import { type Call, type Get, type Send, get } from "../request/call.ts";
import { routes } from "../routes.ts";
import { cursorIn, flagIn, numberIn, textIn, textSet } from "../wire-value.ts";

/** The owner of rulesets: a zone or its account. */
export interface RulesetScope {
  readonly level: "zone" | "account";
  readonly zone: Zone;
}

/** The largest page size (SERVICE.md B.1). */
const perPage = 50;

/** A longer listing is rejected: it would cause any number of requests. */
const maxPages = 200;

const levels = {
  zone: {
    all: routes.zoneRulesets,
    one: routes.zoneRuleset,
    versions: routes.zoneRulesetVersions,
    version: routes.zoneRulesetVersion,
  },
  account: {
    all: routes.accountRulesets,
    one: routes.accountRuleset,
    versions: routes.accountRulesetVersions,
    version: routes.accountRulesetVersion,
  },
} as const;

function ownerOf({ level, zone }: RulesetScope): Readonly<Record<string, string>> {
  return level === "zone" ? { zone_id: zone.id } : { account_id: zone.accountId };
}

/** Lists the rulesets of a zone or account, and says when the first page was requested. */
export async function listRulesets(
  send: Get,
  scope: RulesetScope,
  signal: AbortSignal,
): Promise<{ readonly heads: readonly RulesetHead[]; readonly sentAt: number }> {
  const heads: RulesetHead[] = [];
  const cursors = new Set<string>();
  let cursor = "";
  let firstSentAt: number | undefined;
  for (;;) {
    const query = { per_page: `${perPage}`, ...(cursor === "" ? {} : { cursor }) };
    const call = get(levels[scope.level].all, ownerOf(scope), query);
    const answer = await send(call, signal);
    firstSentAt ??= answer.sentAt;
    const page = answer.result();
    if (!isObjectList(page) || !page.every(hasValidId)) {
      throw malformedResult(call, answer, "not a list of rulesets");
    }
    for (const wire of page) heads.push(headOf(wire));
    cursor = cursorIn(answer.resultInfo());
    if (cursor === "") return { heads, sentAt: firstSentAt };
    if (cursors.has(cursor)) throw malformedResult(call, answer, "a cursor that came before");
    cursors.add(cursor);
    if (cursors.size >= maxPages) {
      throw malformedResult(call, answer, `more than ${maxPages} pages`);
    }
  }
}

/** Reads rulesets of any phase. It cannot write. */
export class RulesetReader {
  readonly #getFor: (zone: Zone) => Get;

  constructor(getFor: (zone: Zone) => Get) {
    this.#getFor = getFor;
  }

  /** Lists the rulesets of a zone or account, managed ones included (SERVICE.md B.1). */
  async list(scope: RulesetScope, signal: AbortSignal): Promise<readonly RulesetHead[]> {
    return (await listRulesets(this.#getFor(scope.zone), scope, signal)).heads;
  }

  /** Reads the given version of a ruleset, or the newest. */
  async read(
    scope: RulesetScope,
    id: string,
    version: string | undefined,
    signal: AbortSignal,
  ): Promise<Ruleset> {
    const params = { ...ownerOf(scope), ruleset_id: id };
    const { one, version: single } = levels[scope.level];
    const call =
      version === undefined
        ? get(one, params)
        : get(single, { ...params, ruleset_version: version });
    const answer = await this.#getFor(scope.zone)(call, signal);
    const result = answer.result();
    if (!isJsonObject(result) || !hasValidId(result)) {
      throw malformedResult(call, answer, "not a ruleset");
    }
    return { ...headOf(result), rules: coerceObjects(result["rules"]).map(ruleOf) };
  }

  /** Lists the versions of a ruleset, oldest first. */
  async versions(
    scope: RulesetScope,
    id: string,
    signal: AbortSignal,
  ): Promise<readonly RulesetHead[]> {
    const call = get(levels[scope.level].versions, { ...ownerOf(scope), ruleset_id: id });
    const answer = await this.#getFor(scope.zone)(call, signal);
    const found = answer.result();
    if (!isObjectList(found) || !found.every((each) => isServiceId(textIn(each, "version")))) {
      throw malformedResult(call, answer, "not a list of versions");
    }
    return found.map(headOf).toSorted((a, b) => Number(a.version) - Number(b.version));
  }
}

/** Deletes old versions of rulesets. */
export class VersionPruner {
  readonly #sendFor: (zone: Zone) => Send;

  constructor(sendFor: (zone: Zone) => Send) {
    this.#sendFor = sendFor;
  }

  /** Deletes a version of a ruleset; the newest one stays (SERVICE.md B.3). */
  async prune(
    scope: RulesetScope,
    id: string,
    version: string,
    signal: AbortSignal,
  ): Promise<void> {
    const params = { ...ownerOf(scope), ruleset_id: id, ruleset_version: version };
    const route = levels[scope.level].version;
    const call: Call = { method: "DELETE", route, params, query: {}, body: undefined };
    await this.#sendFor(scope.zone)(call, signal);
  }
}

function hasValidId(wire: JsonObject): boolean {
  return isServiceId(textIn(wire, "id"));
}

function headOf(wire: JsonObject): RulesetHead {
  return {
    id: textIn(wire, "id"),
    name: textIn(wire, "name"),
    description: textIn(wire, "description"),
    kind: textIn(wire, "kind"),
    phase: textIn(wire, "phase"),
    version: textIn(wire, "version"),
    lastUpdated: textIn(wire, "last_updated"),
  };
}

function ruleOf(wire: JsonObject): RulesetRule {
  return {
    id: textIn(wire, "id"),
    ref: textIn(wire, "ref"),
    action: textIn(wire, "action"),
    description: textIn(wire, "description"),
    expression: textIn(wire, "expression"),
    enabled: flagIn(wire, "enabled") ?? true,
    categories: textSet(wire["categories"]),
    scoreThreshold: numberIn(wire, "score_threshold"),
    wire,
  };
}
