import { configOption, example, formatOption, type Add } from "../output/command-parts.ts";
import type { HistoryFlags } from "./history.ts";

/** Adds `history`. */
export const addHistory: Add = (program, host, end) => {
  program
    .command("history")
    .description("print what runs changed or found, and how long zones drifted")
    .argument("[zone]", "only this zone (a name, * stands for anything)")
    .addOption(configOption())
    .addOption(formatOption("text", "json"))
    .option("--since <when>", "a moment, or how long ago: 2026-03-01, 24h, 30d")
    .option("--until <when>", "likewise; without it: now")
    .addHelpText(
      "after",
      example(
        "zonewarden history",
        "zonewarden history shop.example.com --since 24h",
        "zonewarden history --since 2026-03-01 --until 2026-04-01 --format json | jq .drift",
      ),
    )
    .action(async (zone: string | undefined, options: Omit<HistoryFlags, "zone">) => {
      const { history } = await import("./history.ts");
      end(await history({ ...options, zone }, host));
    });
};
