import { isDeepStrictEqual } from "node:util";

import { selectorsNaming } from "../../desired/zones/show-zone.ts";
import type { EvidenceSubject } from "../../evidence/evidence-pack.ts";
import type { ZoneContent, ZoneDocument } from "../../zone/desired-zone.ts";
import { type Zone, zoneId, type ZoneName } from "../../zone/zone.ts";

/** A zone as the files declare it, as far as they tell without the service's listing of zones. */
export function declaredSubject(
  zone: ZoneName,
  documents: readonly ZoneDocument[],
): EvidenceSubject {
  const content = contentOf(zone, documents);
  if (typeof content === "string") return { zone, declared: content };
  return { zone, declared: { scripts: content.scripts, policies: content.policies?.items ?? [] } };
}

const needsListing =
  "it depends on what the service lists of the zone, and this command asks no service";

/** The content of a zone, or why it is not known. */
function contentOf(name: ZoneName, documents: readonly ZoneDocument[]): ZoneContent | string {
  const own = documents.find(({ target }) => target.by === "name" && target.name === name);
  const [only, ...others] = own === undefined ? selectorsNaming(documents, name) : [own];
  if (only === undefined) return "no file declares the zone by its name";
  const { target, content, contentFor } = only;
  const isSure =
    target.by === "name" ||
    (target.by === "selector" &&
      others.length === 0 &&
      [target.selector.account, target.selector.status, target.selector.plan].every(isUndefined));
  if (!isSure) return needsListing;
  if (contentFor === undefined) return content;
  // What is the same for two listings depends on the name alone.
  const [first, second] = [contentFor(listed(name, "a")), contentFor(listed(name, "b"))];
  if (first === undefined || second === undefined) return needsListing;
  const isSame =
    isDeepStrictEqual(first.scripts, second.scripts) &&
    isDeepStrictEqual(first.policies, second.policies);
  return isSame ? first : needsListing;
}

function isUndefined(value: unknown): boolean {
  return value === undefined;
}

/** A listing that the service could give of a zone. */
function listed(name: ZoneName, sign: string): Zone {
  const id = zoneId(sign.repeat(32));
  if (id === undefined) throw new Error(`${sign} is no digit`);
  return { id, name, accountId: id, accountName: sign, status: sign, plan: sign };
}
