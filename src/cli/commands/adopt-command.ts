import { quietHost } from "../../host/host.ts";
import type { DefineCommand } from "../command-options.ts";
import { adoptZones } from "../session/adopt-zones.ts";
import type { ApplyFlags } from "../session/apply-zones.ts";
import { withSession } from "../session/session.ts";
import { acceptedHashes } from "./apply-command.ts";

type AdoptOptions = Omit<ApplyFlags, "zones"> & { readonly quiet?: boolean };

export const defineAdopt: DefineCommand = (command, host, end) => {
  command
    .argument("[zones...]", "only these zones (names; * matches anything)")
    .configFile()
    .formats("text", "json", "markdown")
    .quiet()
    .option(
      "--accept <hash>",
      "adopt many zones at once, by the hash that adopt prints, or in a freeze, by the hash of a plan; can be repeated",
      acceptedHashes,
    )
    .option(
      "--yes",
      "write without asking; without it, adopt asks on a terminal, and writes nothing elsewhere",
    )
    .examples(
      "zonewarden plan    # says what is declared and unmanaged",
      "zonewarden adopt shop.example.com",
      "zonewarden adopt --yes '*.example.com'    # one request for each policy, none for rules",
    )
    .action(async (zones: readonly string[], options: AdoptOptions) => {
      const usedHost = quietHost(host, options);
      end(
        await withSession(options.config, usedHost, (session) =>
          adoptZones({ ...options, zones }, session),
        ),
      );
    });
};
