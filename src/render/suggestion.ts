import type { Granularity, Suggestion } from "../impact/suggest-policy.ts";
import type { JsonObject } from "../syntax/json.ts";
import type { ZoneName } from "../zone/zone.ts";
import { plural, printable } from "./format.ts";

/** A suggestion as a zone document, with action `log` until a person has checked its reports. */
export function suggestionEntry(zone: ZoneName, { host, directives }: Suggestion): JsonObject {
  return {
    name: zone,
    page_shield: {
      policies: {
        items: [
          {
            key: host.replaceAll(/[^a-z0-9]+/g, "-"),
            description: `Resources detected on ${host}`,
            action: "log",
            expression: `http.host eq "${host}"`,
            value: { ...directives },
          },
        ],
      },
    },
  };
}

export function suggestionRemarks(
  { host, resources, leftOut }: Suggestion,
  granularity: Granularity,
): readonly string[] {
  return [
    `Made from ${plural(resources, "resource")} detected on ${host}. Detection is sampled: check the reports of the policy before you enforce it.`,
    ...(granularity === "hash"
      ? [
          "A hash applies only if the page's tag has it as its integrity attribute, and to one version of the script.",
        ]
      : []),
    ...leftOut.map(({ resource, reason, letInBy }) => {
      const all = letInBy === undefined ? "" : `, but allowed by ${letInBy}, which others need`;
      return printable(`Left out: ${resource.url} (${reason})${all}`);
    }),
  ];
}
