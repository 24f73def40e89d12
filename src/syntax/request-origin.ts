/**
 * Whether a server answers under the host of a `Host` header. It does under IP addresses, loopback
 * names and `names`. Other names are refused: a foreign page can make its own name resolve to this
 * server (DNS rebinding).
 */
export function isAllowedHost(host: string, names: readonly string[]): boolean {
  const name = hostNameOf(host);
  if (name === undefined) return false;
  const isAddress = name.startsWith("[") || /^\d+(\.\d+){3}$/.test(name);
  return (
    isAddress || /(^|\.)localhost$/.test(name) || names.some((each) => hostNameOf(each) === name)
  );
}

/** The name in lower case, without port and final dot; `undefined` if the text is not a host. */
function hostNameOf(host: string): string | undefined {
  if (!/^[\w.:[\]-]+$/.test(host)) return undefined;
  return URL.parse(`http://${host}`)?.hostname.replace(/\.$/, "");
}

/** The names of the headers are in lower case; browsers set them, and pages cannot change them. */
type HeaderOf = (name: "sec-fetch-site" | "origin" | "host") => string | undefined;

/** Whether a page of this origin sent the request; `undefined` if no browser says so. */
export function isSameOrigin(header: HeaderOf): boolean | undefined {
  const site = header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const origin = header("origin");
  return origin === undefined ? undefined : URL.parse(origin)?.host === header("host");
}
