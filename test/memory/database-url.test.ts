import { createServer } from "node:net";
import { TLSSocket } from "node:tls";

import { describe, it } from "vitest";

import {
  literal,
  SqlConnection,
  targetOf,
  verifiedUrl,
} from "../../src/memory/postgres/sql-connection.ts";
import { makeCertificate } from "../support/connect-proxy.ts";
import { close, listenOnLoopback } from "../support/loopback.ts";

const remote = "postgres://zone:secret@db.example:6432/zonewarden";

describe("the URL of a database", () => {
  it.for([
    { one: remote, other: remote.replace("zone:secret", "other:more"), isSame: true },
    { one: remote, other: remote.replace("db.example", "DB.example"), isSame: true },
    { one: remote, other: `${remote}?sslrootcert=/ca.pem`, isSame: true },
    { one: "postgres://a@db/zones", other: "postgres://a@db:5432/zones", isSame: true },
    { one: "postgres://a@db/zones", other: "postgres://a@x/zones?host=db&port=5432", isSame: true },
    { one: "postgres://a@db", other: "postgres://b@db/a", isSame: true },
    { one: "postgres://a@db", other: "postgres://b@db", isSame: false },
    { one: remote, other: remote.replace("6432", "6433"), isSame: false },
    { one: remote, other: `${remote}2`, isSame: false },
    { one: remote, other: remote.replace("db.", "db2."), isSame: false },
    { one: remote, other: "secret", isSame: false },
  ])("$other names the database of $one: $isSame", ({ one, other, isSame }, { expect }) => {
    expect(targetOf(other) === targetOf(one)).toBe(isSame);
  });

  it.for([
    { url: remote, mode: "verify-full" },
    { url: `${remote}?sslmode=require`, mode: "verify-full" },
    { url: `${remote}?sslmode=prefer&sslrootcert=/ca.pem`, mode: "verify-full" },
    { url: `${remote}?sslmode=disable`, mode: "disable" },
    { url: "postgres://zone@localhost/zonewarden", mode: null },
    { url: "postgres://zone@127.0.0.1/zonewarden", mode: null },
    { url: "postgres://zone@[::1]/zonewarden", mode: null },
    { url: "postgres://zone@/zonewarden?host=/run/postgresql", mode: null },
    { url: "postgresql:///zonewarden?host=/run/postgresql&user=zone\n", mode: null },
    { url: "postgresql:///zonewarden", mode: null },
    { url: "postgres://zone@%2Frun%2Fpostgresql/zonewarden", mode: null },
    { url: "postgres://zone@localhost/zonewarden?host=db.example", mode: "verify-full" },
    { url: "postgres://zone@localhost/zonewarden?sslmode=require", mode: "verify-full" },
    { url: "postgres://zone@127.0.0.1.example/zonewarden", mode: "verify-full" },
    { url: "postgres://zone:pass,word@db.example/zonewarden", mode: "verify-full" },
    { url: "postgres://zone@not-localhost/zonewarden", mode: "verify-full" },
  ])("$url is reached with sslmode $mode", ({ url, mode }, { expect }) => {
    expect(URL.parse(verifiedUrl(url))?.searchParams.get("sslmode") ?? null).toBe(mode);
  });

  it.for([
    { url: "", says: "the URL of the database must be postgres://user:password@host/database" },
    { url: "secret", says: "must be postgres://" },
    { url: "https://zone:secret@db.example/zonewarden", says: "must be postgres://" },
    { url: "postgres://zone:secret/1@db.example/zonewarden", says: "/ as %2F, ? as %3F, # as %23" },
    {
      url: "postgres://zone:secret@a.example,b.example/zonewarden?target_session_attrs=read-write",
      says: "names several hosts: name one",
    },
    { url: "postgres://zone:secret@a.example:5432,[::1]:5433/zonewarden", says: "several hosts" },
    { url: `${remote}?host=a.example,b.example`, says: "several hosts" },
    { url: `${remote}?sslmode=no-verify`, says: "sslmode=no-verify is not supported" },
  ])("$url is refused, and is not in the message", ({ url, says }, { expect }) => {
    expect(() => verifiedUrl(url)).toThrow(says);
    expect(() => verifiedUrl(url)).not.toThrow("secret");
  });

  it("needs the authority of a certificate that signs itself, and its message names the way", async ({
    expect,
  }) => {
    const { key, cert } = await makeCertificate();
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      // The client asks for TLS, and the server agrees.
      socket.once("data", () => {
        socket.write("S");
        new TLSSocket(socket, { isServer: true, key, cert }).on("error", () => undefined);
      });
    });
    const port = await listenOnLoopback(server);
    const url = `postgres://zone:secret@127.0.0.1:${port}/zonewarden?sslmode=require`;
    await using connection = new SqlConnection(() => Promise.resolve(url));
    await expect(connection.run(["SELECT 1"])).rejects.toThrow(
      /^the database cannot be used: self-signed certificate: name the file of its certificate authority with sslrootcert in the URL$/,
    );
    await close(server);
  });

  it("has no code of the server where it is refused", ({ expect }) => {
    const refused: unknown = expect.objectContaining({ name: "DatabaseError", code: "" });
    expect(() => verifiedUrl("")).toThrow(refused);
  });
});

describe("a text in SQL", () => {
  it.for([
    { text: "plain", sql: "'plain'" },
    { text: "it's", sql: "'it''s'" },
    { text: String.raw`a\'b`, sql: String.raw`E'a\\''b'` },
  ])("is quoted: $text", ({ text, sql }, { expect }) => {
    expect(literal(text)).toBe(sql);
  });

  it("has no zero byte, which the database cannot store", ({ expect }) => {
    expect(() => literal("a\0b")).toThrow("a text with a zero byte cannot be stored");
  });
});
