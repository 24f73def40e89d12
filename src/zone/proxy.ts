/** The proxy for requests out of the network, in the form of undici's EnvHttpProxyAgent. */
export interface ProxySettings {
  /** Only https goes through a proxy: http is for services on the same machine or in the same cluster. */
  readonly httpProxy: "";
  /** Address of the proxy; "": there is none. */
  readonly httpsProxy: string;
  /** Hosts that are reached without it, separated by commas. */
  readonly noProxy: string;
}

/** Reached without a proxy. */
export const noProxy: ProxySettings = { httpProxy: "", httpsProxy: "", noProxy: "" };

/**
 * The proxy of an environment, by the names that curl uses.
 *
 * @throws if the address is not one of an HTTP proxy. The message does not contain it, since it may have a password.
 */
export function proxyIn(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  const valueOf = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? "";
  const text = valueOf("HTTPS_PROXY");
  const httpsProxy = text === "" || text.includes("://") ? text : `http://${text}`;
  const { protocol } = (httpsProxy === "" ? null : URL.parse(httpsProxy)) ?? { protocol: "" };
  if (httpsProxy !== "" && protocol !== "http:" && protocol !== "https:") {
    throw new Error("HTTPS_PROXY must be the address of a proxy: http://proxy.example.com:3128");
  }
  return { httpProxy: "", httpsProxy, noProxy: valueOf("NO_PROXY") };
}
