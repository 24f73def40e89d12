import type { Period } from "../history/timeline.ts";
import { html, type Html, htmlTable, textOfHtml } from "../render/html.ts";
import type { Control, Evidence, KeptHistory, ZoneEvidence } from "./evidence-pack.ts";
import { evidenceStyle } from "./evidence-style.ts";
import {
  daysTable,
  type EvidenceTable,
  filesText,
  statusWords,
  zoneTables,
} from "./evidence-tables.ts";

const dayMs = 86_400_000;

/** The pack as one page to read and print: no script, nothing from elsewhere. URLs are no links: they may be malicious. */
export function renderEvidencePage(evidence: Evidence): string {
  const { period, files, history, limits, zones } = evidence;
  const title = `Evidence for payment pages, ${daysText(period)}`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'"
        />
        <title>${title}</title>
        ${evidenceStyle}
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          <p>
            What zonewarden recorded for the requirements 6.4.3 and 11.6.1 of PCI DSS 4.0.1. It
            shows only what the history and the zone files have; what was not recorded is named as
            missing. It is no statement that a requirement is met: that is the assessor's to say.
          </p>
          <dl>
            <dt>Zones</dt>
            <dd>${zones.map(({ zone }) => zone).join(", ")}</dd>
            <dt>Period</dt>
            <dd>${daysText(period)} (UTC, both days included)</dd>
            <dt>Zone files</dt>
            <dd>${filesText(files)}</dd>
            <dt>History</dt>
            <dd>${history.flaws.length === 0 ? "intact" : "not intact"}${headsOf(history)}</dd>
          </dl>
        </header>
        <main>
          ${limitList("The history does not show everything", limits)}
          ${zones.map((zone, index) => zoneSection(zone, `zone-${index + 1}`))}
          ${historySection(history)}
        </main>
      </body>
    </html> `;
  return textOfHtml(page);
}

function daysText({ since, until }: Period): string {
  return `${dayOf(Number(since))} to ${dayOf(Number(until) - dayMs)}`;
}

function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

function headsOf({ files }: KeptHistory): Html | undefined {
  const hash = files.findLast(({ head }) => head !== undefined)?.head?.hash;
  return hash === undefined ? undefined : html`, head <code>${hash}</code>`;
}

function limitList(title: string, limits: readonly string[]): Html | undefined {
  if (limits.length === 0) return undefined;
  return html`<div class="limits">
    <p><strong>${title}</strong></p>
    <ul>
      ${limits.map((limit) => html`<li>${limit}</li>`)}
    </ul>
  </div>`;
}

function zoneSection(zone: ZoneEvidence, id: string): Html {
  const { declared } = zone.atEnd;
  const pages = typeof declared === "string" ? [] : (declared.scripts?.pages ?? []);
  return html`<section class="zone" aria-labelledby="${id}">
    <h2 id="${id}">${zone.zone}</h2>
    <p>
      Pages in scope:
      ${pages.length === 0 ? "none is declared" : pages.map((page, index) => html`${index > 0 && ", "}<code>${page}</code>`)}.
    </p>
    ${limitList("Missing in this evidence", zone.limits)}
    <h3>Requirements, and what was recorded</h3>
    ${controlTable(zone.controls)}
    <h3>Days</h3>
    ${tableOf(dayRanges(zone))}
    ${zoneTables(zone).map(
      (table) =>
        html`<h3>${table.title}</h3>
          ${tableOf(table)}`,
    )}
  </section>`;
}

function controlTable(controls: readonly Control[]): Html {
  const rows = controls.map(
    ({ requirement, text, shown, notShown }) =>
      html`<tr>
        <td>${requirement}</td>
        <td>${text}</td>
        <td>
          <ul>
            ${shown.map((each) => html`<li>${each}</li>`)}
          </ul>
        </td>
        <td>${notShown}</td>
      </tr>`,
  );
  return htmlTable(["PCI DSS 4.0.1", "Requirement, in short", "Recorded", "Not shown"], rows);
}

/** Neighbouring days with the same status, as one row. */
function dayRanges(zone: ZoneEvidence): EvidenceTable {
  const ranges: { readonly from: string; to: string; readonly status: string; days: number }[] = [];
  for (const { day, status } of zone.days) {
    const last = ranges.at(-1);
    if (last?.status === status) {
      last.to = day;
      last.days += 1;
    } else ranges.push({ from: day, to: day, status, days: 1 });
  }
  return {
    ...daysTable(zone),
    columns: ["begin", "end", "days", "status"],
    rows: ranges.map(({ from, to, days, status }) => [
      from,
      to,
      String(days),
      `${statusWords(status)}${status === "checked" ? "" : " (gap)"}`,
    ]),
  };
}

function tableOf({ columns, rows, empty }: EvidenceTable): Html {
  if (rows.length === 0) return html`<p>${empty}</p>`;
  return htmlTable(
    columns,
    rows.map(
      (row) =>
        html`<tr>
          ${row.map(cellOf)}
        </tr>`,
    ),
  );
}

/** Words up to the length of a moment stay whole. */
const longWord = /[^\s-]{25}/;

function cellOf(text: string): Html {
  return longWord.test(text) ? html`<td class="long">${text}</td>` : html`<td>${text}</td>`;
}

function historySection({ files, flaws, remarks, damaged, isProved }: KeptHistory): Html {
  return html`<section aria-labelledby="history">
    <h2 id="history">History</h2>
    <p>
      ${
        flaws.length === 0
          ? "Intact: from the first line to the last, no line was changed, removed, inserted or moved."
          : "Not intact: see the findings below."
      }
      ${
        isProved
          ? "It was compared with a head or a key that is kept elsewhere."
          : "It was not compared with a head or a key that is kept elsewhere: this does not show whether lines at the end were removed, or the whole was written anew."
      }
      Lines that cannot be read: ${damaged}.
    </p>
    ${tableOf({
      ...table,
      columns: [
        "file",
        "lines",
        "first line",
        "last line",
        "number and hash of the last line",
        "chain",
      ],
      rows: files.map(({ file, lines, firstAt, lastAt, head, chains }) => [
        file,
        String(lines),
        firstAt?.toISOString() ?? "",
        lastAt?.toISOString() ?? "",
        head === undefined ? "" : `${head.n} ${head.hash}`,
        chains.join(", "),
      ]),
    })}
    ${noteTable("Findings of the check of the history", flaws)}
    ${noteTable("Remarks of the check of the history", remarks)}
  </section>`;
}

const table: EvidenceTable = { name: "", title: "", columns: [], rows: [], empty: "None." };

function noteTable(title: string, notes: KeptHistory["flaws"]): Html | undefined {
  if (notes.length === 0) return undefined;
  const columns = ["file", "line", "code", "message"];
  const rows = notes.map(({ file, line, code, message }) => [file, String(line), code, message]);
  return html`<h3>${title}</h3>
    ${tableOf({ ...table, columns, rows })}`;
}
