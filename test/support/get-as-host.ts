import { request } from "node:http";
import { text } from "node:stream/consumers";

/** Requests a page with a `Host` header of its own, which `fetch` does not send. */
export async function getAsHost(
  url: string,
  host: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve, reject } =
    Promise.withResolvers<Readonly<Awaited<ReturnType<typeof getAsHost>>>>();
  request(url, { headers: { host }, agent: false }, (response) => {
    text(response).then(
      (body) => resolve({ status: response.statusCode ?? 0, text: body }),
      reject,
    );
  })
    .on("error", reject)
    .end();
  return promise;
}
