import type { ConfigMaps, MapContent, StoredMap } from "../memory/config-maps/stored-map.ts";
import { coerceObject, coerceText, type JsonObject } from "../syntax/json.ts";
import { type KubeAnswer, type KubeClient, KubeError, answerError } from "./kube-client.ts";

/** A full chunk takes a moment to be stored. */
const timeoutMs = 10_000;

/** The ConfigMaps in the namespace of the client. */
export function configMapsOf(
  kube: KubeClient,
  labels: Readonly<Record<string, string>>,
): ConfigMaps {
  const all = `/api/v1/namespaces/${encodeURIComponent(kube.namespace)}/configmaps`;
  return {
    read: async (name) => {
      const answer = await kube.request({ method: "GET", path: `${all}/${name}` }, timeoutMs);
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw answerError(`ConfigMap ${name} cannot be read`, answer);
      return mapIn(name, answer);
    },
    write: async (name, content, version) => {
      const body = bodyOf(name, kube.namespace, labels, content, version);
      const answer = await kube.request(
        version === undefined
          ? { method: "POST", path: all, body }
          : { method: "PUT", path: `${all}/${name}`, body },
        timeoutMs,
      );
      // 404: it was removed since its version was read.
      const isRemoved = answer.status === 404 && version !== undefined;
      if (answer.status === 409 || isRemoved) return undefined;
      if (answer.status !== 200 && answer.status !== 201) {
        throw answerError(`ConfigMap ${name} cannot be written`, answer);
      }
      return mapIn(name, answer).version;
    },
  };
}

function bodyOf(
  name: string,
  namespace: string,
  labels: Readonly<Record<string, string>>,
  { data = {}, binaryData = {} }: MapContent,
  resourceVersion: string | undefined,
): JsonObject {
  const encoded: Record<string, string> = {};
  for (const [key, bytes] of Object.entries(binaryData)) {
    encoded[key] = Buffer.from(bytes).toString("base64");
  }
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, labels, ...version },
    data,
    binaryData: encoded,
  };
}

function mapIn(name: string, { status, body }: KubeAnswer): StoredMap {
  const object = coerceObject(body);
  const metadata = coerceObject(object["metadata"]);
  const version = coerceText(metadata["resourceVersion"]);
  if (object["kind"] !== "ConfigMap" || metadata["name"] !== name || version === "") {
    throw new KubeError(`ConfigMap ${name}: the answer of the API server is no ConfigMap`, status);
  }
  const texts = Object.entries(coerceObject(object["data"]));
  const bytes = Object.entries(coerceObject(object["binaryData"]));
  return {
    uid: coerceText(metadata["uid"]),
    version,
    data: Object.fromEntries(texts.map(([key, text]) => [key, coerceText(text)])),
    binaryData: Object.fromEntries(
      bytes.map(([key, text]) => [key, Buffer.from(coerceText(text), "base64")]),
    ),
  };
}
