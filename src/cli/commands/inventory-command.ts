import { Option, type Command } from "commander";

import { itemKinds, resourceStatuses, type ItemKind } from "../../zone/inventory-item.ts";
import { configOption, example, formatOption, type Add } from "../output/command-parts.ts";
import type { InventoryFlags } from "./inventory.ts";

/** Adds `inventory` with a command for each kind of item. */
export const addInventory: Add = (program, host, end) => {
  const inventory = program
    .command("inventory")
    .description("list what browsers reported: scripts, connections, cookies; writes nothing")
    .addHelpText("after", example(...itemKinds.map((kind) => examples[kind][0])));
  for (const kind of itemKinds) {
    const command = inventory
      .command(`${kind}s`)
      .description(`list the ${kind}s of zones, or show one with its pages`)
      .argument("[zones...]", "only these zones (names, * stands for anything; or ids)")
      .addOption(configOption())
      .addOption(formatOption("table", "json", "csv"))
      .option("--id <id>", `show this ${kind} alone, with all ${details[kind]}`)
      .option("--summary", "only the counts of each zone")
      .option("--host <host...>", "seen on these hosts; * at the start and end")
      .option("--page <url...>", "seen on these pages; * at the start and end");
    if (kind === "cookie") addCookieFilters(command);
    else addResourceFilters(command, kind);
    command
      .addOption(
        new Option("--order <moment>", "in which order").choices(["first-seen", "last-seen"]),
      )
      .addOption(
        new Option("--direction <way>", "earliest (asc) or latest (desc) first").choices([
          "asc",
          "desc",
        ]),
      )
      .addHelpText("after", example(...examples[kind]))
      .action(async (zones: readonly string[], options: InventoryFlags) => {
        const { inventoryCommand } = await import("./inventory.ts");
        end(await inventoryCommand({ ...options, kind, zones }, host));
      });
  }
};

/** What one item has that a list of them does not show. */
const details = {
  script: "pages and versions",
  connection: "pages",
  cookie: "pages",
} as const satisfies Readonly<Record<ItemKind, string>>;

function addResourceFilters(command: Command, kind: ItemKind): void {
  command
    .option("--url <part...>", "with this in the URL")
    .option("--exclude-url <part...>", "without this in the URL")
    .addOption(
      new Option("--status <status...>", "active ones where none is named").choices(
        resourceStatuses,
      ),
    )
    .option("--cdn-cgi", "those below /cdn-cgi/ too, which the service adds itself")
    .option("--malicious", "only malicious ones")
    .option("--malicious-first", "malicious ones first");
  if (kind !== "script") return;
  command
    .option("--duplicates", "all URLs of one content, not the latest alone")
    .option(
      "--malicious-below <score>",
      "integrity scores that are malicious; impact.malicious_below of the configuration, else 50",
    );
}

function addCookieFilters(command: Command): void {
  const yesNo = ["yes", "no"];
  command
    .option("--name <name>", "of this name; * at the start and end")
    .option("--path <path>", "with this path attribute")
    .option("--domain <domain>", "with this domain attribute")
    .addOption(new Option("--secure <yes|no>", "with the attribute secure").choices(yesNo))
    .addOption(new Option("--http-only <yes|no>", "with the attribute http-only").choices(yesNo))
    .addOption(
      new Option("--same-site <mode>", "with this attribute same-site").choices([
        "lax",
        "strict",
        "none",
      ]),
    )
    .addOption(new Option("--type <type>", "of this type").choices(["first_party", "unknown"]));
}

const examples = {
  script: [
    "zonewarden inventory scripts",
    "zonewarden inventory scripts shop.example.com --malicious",
    "zonewarden inventory scripts --status infrequent inactive --format csv > scripts.csv",
    "zonewarden inventory scripts shop.example.com --id 0123456789abcdef0123456789abcdef",
  ],
  connection: [
    "zonewarden inventory connections shop.example.com",
    "zonewarden inventory connections --url wss: --format json",
  ],
  cookie: [
    "zonewarden inventory cookies shop.example.com --secure no",
    "zonewarden inventory cookies --name '*session*' --format json",
  ],
} as const;
