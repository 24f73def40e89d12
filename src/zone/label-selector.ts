import type { ZoneLabels } from "./desired-zone.ts";

/** Whether the labels of a zone are those that are asked for. */
export type LabelSelector = (labels: ZoneLabels) => boolean;

const term =
  /^(?<not>!)?(?<key>[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?)(?:(?<sign>!=|==?)(?<value>[a-z0-9._-]{1,63}))?$/;

/**
 * Reads a selector of labels in the form of Kubernetes: `team=payments,tier!=gold,critical,!legacy`.
 * All terms must hold; a zone without a label has no value of it. `undefined` for another form.
 */
export function labelSelector(text: string): LabelSelector | undefined {
  const terms = text.split(",").map((part) => termOf(part.trim()));
  const known = terms.filter((each) => each !== undefined);
  if (known.length < terms.length) return undefined;
  return (labels) => known.every((holds) => holds(labels));
}

function termOf(text: string): LabelSelector | undefined {
  const { not, key = "", sign, value } = term.exec(text)?.groups ?? {};
  if (key === "" || (not !== undefined && sign !== undefined)) return undefined;
  const has = (labels: ZoneLabels): boolean => Object.hasOwn(labels, key);
  if (sign === undefined) return (labels) => has(labels) === (not === undefined);
  return (labels) => (has(labels) && labels[key] === value) === (sign !== "!=");
}
