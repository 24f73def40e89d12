import { spawnSync } from "node:child_process";
import path from "node:path";

import { coerceObject, coerceText } from "../../src/syntax/json.ts";

const operator = "github.com/prometheus-operator/prometheus-operator@v0.85.0";

/** The directory with the kinds of the Prometheus operator, from the Go module proxy; "" without Go or the proxy. */
export function operatorDefinitions(): string {
  const { status, stdout } = spawnSync("go", ["mod", "download", "-json", operator], {
    encoding: "utf8",
    cwd: "/",
    env: { ...process.env, GOWORK: "off" },
  });
  if (status !== 0) return "";
  const directory = coerceText(coerceObject(JSON.parse(stdout))["Dir"]);
  return path.join(directory, "example/prometheus-operator-crd");
}
