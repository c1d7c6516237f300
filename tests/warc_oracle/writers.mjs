// Writes the same records as WarcWriters.java does, with warcio.js and node-warc: once as they are,
// once with gzip.
//
//   node writers.mjs RECORDS FOLDER
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { WARCRecord, WARCSerializer } from "warcio";

const require = createRequire(import.meta.url);
const WARCWriterBase = require("node-warc/lib/writers/warcWriterBase.js");

const [, , records, folder] = process.argv;
const entries = fs.readFileSync(records, "utf8").split("\n").filter(Boolean).map((line) => {
  const [type, url, date, contentType, block] = line.split("\t");
  return { type, url, date, contentType, block: Buffer.from(block, "base64") };
});

/** The status line, header lines and body of an HTTP message. */
function parts(message) {
  const end = message.indexOf("\r\n\r\n");
  const [status, ...header] = message.subarray(0, end).toString("latin1").split("\r\n");
  return { status, header, body: message.subarray(end + 4) };
}

for (const gzip of [false, true]) {
  const out = fs.openSync(path.join(folder, gzip ? "warcio-js.warc.gz" : "warcio-js.warc"), "w");
  for (const { type, url, date, contentType, block } of entries) {
    const options = { url, date, type, warcHeaders: {}, warcVersion: "WARC/1.1" };
    let payload = block;
    if (type === "response") {
      const { status, header, body } = parts(block);
      options.statusline = status;
      options.httpHeaders = Object.fromEntries(header.map((line) => line.split(/: (.*)/s)));
      payload = body;
    } else {
      options.warcHeaders["Content-Type"] = contentType;
    }
    const record = WARCRecord.create(options, [new Uint8Array(payload)]);
    fs.writeSync(out, await WARCSerializer.serialize(record, { gzip }));
  }
  fs.closeSync(out);

  const writer = new WARCWriterBase();
  writer.initWARC(path.join(folder, gzip ? "node-warc.warc.gz" : "node-warc.warc"), { gzip });
  const done = new Promise((resolve, reject) => {
    writer.on("finished", resolve);
    writer.on("error", reject);
  });
  for (const { type, url, block } of entries) {
    if (type !== "response") continue;
    const { status, header, body } = parts(block);
    await writer.writeResponseRecord(url, [status, ...header].join("\r\n") + "\r\n", body);
  }
  writer.end();
  await done;
}
