import type { Granularity, LeftOut, Suggestion } from "../impact/suggest-policy.ts";
import type { JsonObject } from "../syntax/json.ts";
import type { ZoneName } from "../zone/zone.ts";
import { plural, printable } from "./format.ts";

/** A suggestion as a zone document: it reports until somebody has looked at what it reports. */
export function suggestionEntry(zone: ZoneName, { host, directives }: Suggestion): JsonObject {
  return {
    name: zone,
    page_shield: {
      policies: {
        items: [
          {
            key: host.replaceAll(/[^a-z0-9]+/g, "-"),
            description: `What was seen on ${host}`,
            action: "log",
            expression: `http.host eq "${host}"`,
            value: { ...directives },
          },
        ],
      },
    },
  };
}

/** What should be known of a suggestion before it is used, in lines. */
export function suggestionRemarks(
  { host, resources, leftOut }: Suggestion,
  granularity: Granularity,
): readonly string[] {
  return [
    `Made from ${plural(resources, "resource")} seen on ${host}. Detection is sampled: see what the policy reports before it allows.`,
    ...(granularity === "hash"
      ? [
          "A hash counts only where the page's tag carries it as integrity, and for one version of the script.",
        ]
      : []),
    ...leftOut.map(leftOutText),
  ];
}

function leftOutText({ resource, reason, letInBy }: LeftOut): string {
  const all = letInBy === undefined ? "" : `, but let in by ${letInBy}, which others need`;
  return printable(`Left out: ${resource.url} (${reason})${all}`);
}
