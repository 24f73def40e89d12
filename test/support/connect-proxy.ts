import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

import { close, listenOnLoopback } from "./loopback.ts";

/** A proxy of a test that makes tunnels. */
export interface ConnectProxy extends AsyncDisposable {
  /** `http://127.0.0.1:4711` */
  readonly url: string;
  /** What it was asked to connect to: `localhost:443`. */
  readonly tunnels: readonly string[];
  /** `Proxy-Authorization` of each request for a tunnel; "": none. */
  readonly authorizations: readonly string[];
}

/** Starts a proxy, which refuses everybody with `status` unless it is 200. */
export async function startConnectProxy(status = 200): Promise<ConnectProxy> {
  const [tunnels, authorizations]: [string[], string[]] = [[], []];
  const server = createServer((_, response) => response.writeHead(400).end());
  server.on("connect", (request, socket, head) => {
    const { url = "", headers } = request;
    tunnels.push(url);
    authorizations.push(headers["proxy-authorization"] ?? "");
    socket.on("error", () => undefined);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    target.on("error", () => socket.destroy());
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    tunnels,
    authorizations,
    [Symbol.asyncDispose]: () => close(server),
  };
}

/** A certificate of localhost that signs itself, as PEM, and its key. Each has the name of another authority. */
export async function makeCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-tls-"));
  const [key, cert] = [path.join(directory, "key"), path.join(directory, "cert")];
  const subject = `/O=${path.basename(directory)}/CN=localhost`;
  const named = ["-subj", subject, "-addext", "subjectAltName=DNS:localhost"];
  const made = ["-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert];
  execFileSync("openssl", ["req", "-x509", "-days", "2", ...made, ...named], { stdio: "ignore" });
  const pems = { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
  await rm(directory, { recursive: true });
  return pems;
}

/** Starts an https server of localhost, whose certificate this process trusts from then on. */
export async function startTlsServer(
  answer: RequestListener,
): Promise<AsyncDisposable & { readonly host: string }> {
  const pems = await makeCertificate();
  setDefaultCACertificates([...getCACertificates(), pems.cert]);
  const server = createTlsServer(pems, answer);
  const port = await listenOnLoopback(server);
  return { host: `localhost:${port}`, [Symbol.asyncDispose]: () => close(server) };
}
