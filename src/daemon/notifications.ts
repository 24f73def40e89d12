import type { Config, NotificationConfig } from "../desired/config/config.ts";
import type { Host } from "../host/host.ts";
import { readSecret } from "../host/secrets.ts";
import { postThrough } from "../notify/message.ts";
import { Notifier } from "../notify/notifier.ts";
import type { Sink } from "../notify/outbox.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import { labelSelector } from "../zone/label-selector.ts";
import { proxyIn } from "../zone/proxy.ts";

/** Connects the notifier with the configured sinks, the metrics and the log. */
export function startNotifier(
  { notifications: configs, server }: Pick<Config, "notifications" | "server">,
  metrics: Pick<Metrics, "expectNotifications" | "recordNotification">,
  logger: Logger,
  host: Host,
): Notifier {
  for (const { name } of configs) metrics.expectNotifications(name);
  return new Notifier(
    configs.map((config) => sinkOf(config, host)),
    {
      post: postThrough(proxyIn(host.env)),
      clock: host.clock,
      random: host.random,
      sender: { instance: host.hostName, page: server.url },
      sent: (sink, result) => metrics.recordNotification(sink, result),
      failed: (sink, { reason, zone }, why) =>
        logger.error({ sink, reason, zone, error: why }, "notification not delivered"),
    },
  );
}

function sinkOf(config: NotificationConfig, host: Host): Sink {
  const { url, secret } = config;
  return {
    ...config,
    labels: labelSelector(config.labels),
    url: () => ("url" in url ? Promise.resolve(url.url) : readSecret(url, host)),
    secret: () => (secret === undefined ? Promise.resolve("") : readSecret(secret, host)),
  };
}
