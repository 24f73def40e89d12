import type { NotificationConfig } from "../desired/config/config.ts";
import type { Machine } from "../host/host.ts";
import { readSecret } from "../host/secrets.ts";
import { Notifier } from "../notify/notifier.ts";
import type { Sink } from "../notify/outbox.ts";
import { post } from "../notify/post.ts";
import type { createLogger } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";

/** Starts telling the configured sinks what happens. */
export function startNotifying(
  configs: readonly NotificationConfig[],
  metrics: Metrics,
  logger: ReturnType<typeof createLogger>,
  machine: Machine,
): Notifier {
  for (const { name } of configs) metrics.expectNotifications(name);
  return new Notifier(
    configs.map((config) => sinkOf(config, machine)),
    {
      post,
      clock: machine.clock,
      random: machine.random,
      instance: machine.hostName,
      sent: (sink, result) => metrics.recordNotification(sink, result),
      failed: (sink, { reason, zone }, why) => {
        logger.error({ sink, reason, zone, problem: why }, "notification not delivered");
      },
    },
  );
}

function sinkOf(config: NotificationConfig, machine: Machine): Sink {
  const { name, type, zones, severity, url, secret } = config;
  return {
    name,
    type,
    zones,
    severity,
    url: () => ("url" in url ? Promise.resolve(url.url) : readSecret(url, machine)),
    secret: () => (secret === undefined ? Promise.resolve("") : readSecret(secret, machine)),
  };
}
