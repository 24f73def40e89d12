import { stringify } from "yaml";

import type { JsonObject } from "../../src/syntax/json.ts";

/** The rule file as the Prometheus operator takes it. */
export function prometheusRule(rules: JsonObject): string {
  const object = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: {
      name: "zonewarden",
      labels: {
        "app.kubernetes.io/name": "zonewarden",
        "app.kubernetes.io/part-of": "zonewarden",
      },
    },
    spec: rules,
  };
  return `# Generated from deploy/alerts/zonewarden.rules.yaml by \`npx vitest run test/deploy -u\`.\n${stringify(object, { lineWidth: 0 })}`;
}
