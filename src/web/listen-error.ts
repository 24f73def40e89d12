/** The error for an address that cannot be listened on; `place` is the setting of the address. */
export function listenError(
  place: string,
  { host, port }: { readonly host: string; readonly port: number },
  cause: unknown,
): Error {
  const message = `${place}: cannot listen on ${host}:${port}: ${reasonOf(cause)}`;
  return new Error(message, { cause });
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  switch (code) {
    case "EADDRINUSE":
      return "the port is in use: stop the other program or choose another port";
    case "EACCES":
      return "permission denied: choose a port above 1023";
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return "the machine has no such address: choose 127.0.0.1 or 0.0.0.0";
    default:
      return code === "" ? String(cause) : code;
  }
}
