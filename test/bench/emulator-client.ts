/** The client of the emulator's bench: asks for the addresses that it is sent, one after the other. */
import { Agent, request } from "undici";

const dispatcher = new Agent({ connections: 1 });
const headers = { authorization: "Bearer emulator-token" };

let urls: readonly string[] = [];

// Addresses come first and the start after them, so that reading them is not measured.
process.on("message", (message: readonly string[] | "start") => {
  if (message === "start") void ask();
  else {
    urls = message;
    process.send?.("planned");
  }
});
process.on("disconnect", () => {
  void dispatcher.close();
});
process.send?.("planned");

async function ask(): Promise<void> {
  for (const url of urls) {
    const { statusCode, body } = await request(url, { dispatcher, headers });
    await body.dump({ limit: 10_000_000 });
    if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`);
  }
  process.send?.("done");
}
