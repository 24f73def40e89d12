import { errorCode } from "../syntax/error-code.ts";

/** An address cannot be listened on. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  /** The code of the system's error. */
  readonly code: string;

  /** @param place the setting of the address. */
  constructor(
    place: string,
    { host, port }: { readonly host: string; readonly port: number },
    cause: unknown,
  ) {
    super(`${place}: cannot listen on ${host}:${port}: ${reasonOf(cause)}`, { cause });
    this.code = errorCode(cause);
  }
}

function reasonOf(cause: unknown): string {
  const code = errorCode(cause);
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
