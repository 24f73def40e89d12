import type { ItemFilters } from "../../api/read/item-query.ts";
import { type ItemKind, resourceStatuses } from "../../zone/inventory-item.ts";
import type { CliCommand } from "../command-options.ts";

/** The options that filter and sort an inventory, as commander returns them. */
export interface FilterFlags {
  readonly host?: readonly string[];
  readonly page?: readonly string[];
  readonly url?: readonly string[];
  readonly excludeUrl?: readonly string[];
  readonly status?: readonly string[];
  readonly cdnCgi?: boolean;
  readonly duplicates?: boolean;
  readonly malicious?: boolean;
  readonly maliciousFirst?: boolean;
  readonly maliciousBelow?: string;
  readonly order?: keyof typeof orders;
  readonly direction?: "asc" | "desc";
  readonly name?: string;
  readonly path?: string;
  readonly domain?: string;
  readonly secure?: "yes" | "no";
  readonly httpOnly?: "yes" | "no";
  readonly sameSite?: string;
  readonly type?: string;
}

const orders = { "first-seen": "first_seen_at", "last-seen": "last_seen_at" } as const;

export function addFilters(command: CliCommand, kind: ItemKind): void {
  command
    .option("--host <host...>", "seen on these hosts; * at the start and end")
    .option("--page <url...>", "seen on these pages; * at the start and end");
  if (kind === "cookie") addCookieFilters(command);
  else addResourceFilters(command, kind);
  command
    .choice("--order <moment>", "sort by this moment", Object.keys(orders))
    .choice("--direction <direction>", "earliest (asc) or latest (desc) first", ["asc", "desc"]);
}

function addResourceFilters(command: CliCommand, kind: ItemKind): void {
  command
    .option("--url <part...>", "with this text in the URL")
    .option("--exclude-url <part...>", "without this text in the URL")
    .choice("--status <status...>", "with one of these; active by default", resourceStatuses)
    .option("--cdn-cgi", "also those below /cdn-cgi/, which the service itself adds")
    .option("--malicious", "only malicious ones")
    .option("--malicious-first", "malicious ones first");
  if (kind !== "script") return;
  command
    .option("--duplicates", "all URLs of the same content, not only the latest")
    .option(
      "--malicious-below <score>",
      "integrity scores below this are malicious; by default impact.malicious_below",
    );
}

function addCookieFilters(command: CliCommand): void {
  const yesNo = ["yes", "no"];
  command
    .option("--name <name>", "with this name; * at the start and end")
    .option("--path <path>", "with this path attribute")
    .option("--domain <domain>", "with this domain attribute")
    .choice("--secure <yes|no>", "with the attribute secure", yesNo)
    .choice("--http-only <yes|no>", "with the attribute http-only", yesNo)
    .choice("--same-site <mode>", "with this attribute same-site", ["lax", "strict", "none"])
    .choice("--type <type>", "of this type", ["first_party", "unknown"]);
}

/** What is wrong with the filters: an empty one would match everything, and an impossible one nothing. */
export function filterError(flags: FilterFlags): string | undefined {
  if (!/^(?:[1-9]\d?|100)$/.test(flags.maliciousBelow ?? "100")) {
    return "--malicious-below: write a number from 1 to 100";
  }
  const { host, page, url, excludeUrl, name, path, domain } = flags;
  const patterns = { host, page, name };
  const filters = { ...patterns, url, "exclude-url": excludeUrl, path, domain };
  const empty = optionWhere(filters, (value) => value.trim() === "");
  if (empty !== undefined) return `${empty}: write what to look for, or remove the option`;
  const inside = optionWhere(patterns, (value) => /[^,]\*[^,]/.test(value));
  return inside && `${inside}: * can stand only at the start and the end`;
}

function optionWhere(
  options: Readonly<Record<string, string | readonly string[] | undefined>>,
  isWrong: (value: string) => boolean,
): string | undefined {
  const found = Object.entries(options).find(([, values = []]) => [values].flat().some(isWrong));
  return found && `--${found[0]}`;
}

export function filtersOf(flags: FilterFlags): ItemFilters {
  return {
    hosts: flags.host ?? [],
    pageUrls: flags.page ?? [],
    urls: flags.url ?? [],
    excludeUrls: flags.excludeUrl ?? [],
    statuses: flags.status ?? [],
    excludeCdnCgi: flags.cdnCgi === true ? false : undefined,
    excludeDuplicates: flags.duplicates === true ? false : undefined,
    prioritizeMalicious: flags.maliciousFirst,
    orderBy: flags.order && orders[flags.order],
    direction: flags.direction,
    name: flags.name,
    path: flags.path,
    domain: flags.domain,
    secure: flags.secure && flags.secure === "yes",
    httpOnly: flags.httpOnly && flags.httpOnly === "yes",
    sameSite: flags.sameSite,
    type: flags.type,
  };
}
