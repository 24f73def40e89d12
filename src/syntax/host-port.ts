/** A host and its port as a URL has them: with brackets around an IPv6 address. */
export function hostWithPort(host: string, port: number | string): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
