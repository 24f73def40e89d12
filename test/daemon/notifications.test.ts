import { describe, it } from "vitest";

import { startNotifier } from "../../src/daemon/notifications.ts";
import { SimulatedClock } from "../support/clock.ts";
import { hostIn } from "../support/command-line.ts";
import { configFrom } from "../support/config-from.ts";
import { startServer } from "../support/http-server.ts";
import { book } from "../support/log-book.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { eventually } from "../support/processes.ts";
import { at } from "../support/reports.ts";

describe("the notifications of a daemon", () => {
  it("are sent to each sink, signed where it has a secret, and counted; a failure is logged", async ({
    expect,
  }) => {
    /** Whether what came was signed, by path. */
    const came = new Map<string, boolean>();
    await using server = await startServer(({ path }, response) => {
      came.set(path, "x-signature" in response.req.headers);
      response.writeHead(path === "/gone" ? 404 : 200).end();
    });
    const config = await configFrom(`mode: enforce
notifications:
  - { name: plain, type: webhook, url: "${server.baseUrl}/plain" }
  - { name: secret, type: webhook, url_file: url, secret_file: secret }
  - { name: gone, type: webhook, url: "${server.baseUrl}/gone" }`);
    const files = memoryFiles({ "/url": `${server.baseUrl}/secret`, "/secret": "s3cret" }).port;
    const { logger, lines } = book();
    const counted: string[] = [];
    const notifier = startNotifier(
      config,
      {
        expectNotifications: (sink) => counted.push(sink),
        recordNotification: (sink, result) => counted.push(`${sink} ${result}`),
      },
      logger,
      hostIn("/", { files, clock: new SimulatedClock() }),
    );
    const sinks = ["plain", "secret", "gone"];
    expect(counted.splice(0)).toEqual(sinks);
    notifier.notify({
      reason: "HistoryHead",
      severity: "info",
      at: at(1),
      zone: "",
      message: "head",
      revision: undefined,
    });
    await eventually("each has an end", () => counted.length === sinks.length || undefined, 15);
    expect(counted.toSorted()).toEqual(["gone error", "plain done", "secret done"]);
    expect(came).toEqual(
      new Map([
        ["/gone", false],
        ["/plain", false],
        ["/secret", true],
      ]),
    );
    expect(lines()).toMatchObject([{ level: "error", sink: "gone", reason: "HistoryHead" }]);
  });
});
