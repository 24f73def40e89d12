import { byEntryName } from "../syntax/by-text.ts";
import { patternFinder } from "../syntax/url-pattern.ts";
import type { AuthorisedScript } from "../zone/declared-scripts.ts";
import { isInUse, maliciousReasons, type Script } from "../zone/inventory-item.ts";

/** A script that gets an entry. */
export interface AdoptedScript {
  readonly url: string;
  /** Whether the service has a hash, so that its content can be pinned. */
  readonly hasHash: boolean;
}

/** A script that gets no entry, with the reason. */
export interface LeftOutScript {
  readonly url: string;
  readonly reason: string;
}

export interface AdoptedScripts {
  /** In the order of their URLs. */
  readonly adopted: readonly AdoptedScript[];
  readonly leftOut: readonly LeftOutScript[];
}

const longestUrl = 2_048;

/**
 * The scripts in use that no entry names yet, without those that a person must not authorise by
 * mistake.
 */
export function adoptScripts(
  scripts: readonly Script[],
  authorised: readonly AuthorisedScript[],
  maliciousBelow: number,
): AdoptedScripts {
  const find = patternFinder(authorised.map(({ url }) => url));
  const byUrl = Map.groupBy(
    scripts.filter((script) => isInUse(script) && find(script.url) === undefined),
    ({ url }) => url,
  );
  const adopted: AdoptedScript[] = [];
  const leftOut: LeftOutScript[] = [];
  for (const [url, same] of [...byUrl].toSorted(byEntryName)) {
    const reason = same.flatMap((each) => whyNot(each, maliciousBelow))[0];
    if (reason !== undefined) leftOut.push({ url, reason });
    else adopted.push({ url, hasHash: same.every(({ hash }) => hash !== "") });
  }
  return { adopted, leftOut };
}

function whyNot(script: Script, maliciousBelow: number): readonly string[] {
  const reasons = maliciousReasons(script, maliciousBelow);
  if (reasons.length > 0) return [`malicious: ${reasons.join(", ")}`];
  const { url } = script;
  if (url.includes("*")) return ["its URL has a *, which an entry takes for any characters"];
  const isWritable = /^https?:\/\/[^\s/?#]+\/\S*$/.test(url) && url.length <= longestUrl;
  return isWritable ? [] : ["an entry cannot have its URL"];
}
