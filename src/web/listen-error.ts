/** An error for people on an address that cannot be listened on; `place` is where the address is configured. */
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
      return "the port is in use; stop the other program or choose another port";
    case "EACCES":
      return "not allowed; choose a port above 1023";
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return "this machine has no such address; choose 127.0.0.1 or 0.0.0.0";
    default:
      return code === "" ? String(cause) : code;
  }
}
