// The host of the page, and what its verifications have in common.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

const root = path.resolve("target/web");

export const say = (text) => console.log(`web: ${text}`);
export const check = (what, holds) => {
  if (!holds) throw new Error(`does not hold: ${what}`);
};

const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm",
  ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json",
};

/// A static host that serves the folder below a path, as most do; and another copy of it beside that.
export class Host {
  /// What is written behind the script that keeps the page, as a new version would have it.
  version = "";
  /// Whether the module comes in small parts, as over a slow network.
  isSlow = false;

  async start(port = 0) {
    this.sockets = new Set();
    this.server = http.createServer((request, answer) => {
      const { pathname } = new URL(request.url, "http://host");
      const name = path.join(root, pathname.replace(/^\/(some|other)\/folder\//, "/").replace(/\/$/, "/index.html"));
      if (!/^\/(some|other)\/folder\//.test(pathname) || !name.startsWith(root) || !fs.existsSync(name)) {
        answer.writeHead(404);
        return answer.end();
      }
      answer.writeHead(200, { "Content-Type": TYPES[path.extname(name)] ?? "application/octet-stream" });
      if (name.endsWith("/sw.js")) return answer.end(fs.readFileSync(name, "utf8") + this.version);
      if (this.isSlow && name.endsWith(".wasm")) return void dribble(fs.readFileSync(name), answer);
      fs.createReadStream(name).pipe(answer);
    });
    this.server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
    await new Promise((done) => this.server.listen(port, "127.0.0.1", done));
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}/some/folder/`;
  }

  end() {
    this.server.close();
    this.sockets.forEach((socket) => socket.destroy());
  }
}

async function dribble(bytes, answer) {
  for (let i = 0; i < 20; i++) {
    answer.write(bytes.subarray(Math.floor(bytes.length * i / 20), Math.floor(bytes.length * (i + 1) / 20)));
    await new Promise((done) => setTimeout(done, 150));
  }
  answer.end();
}

/// What the program read, but for the one large photo that is measured by itself.
export function scannedIn(work) {
  const lines = fs.readFileSync(path.join(work, "scan.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  return lines.filter((line) => line.cards && !line.image.endsWith("large.jpg"));
}

/// Holds what the page reads against what the program read.
export class Comparison {
  constructor() {
    Object.assign(this, { photos: 0, cards: 0, wrong: [], furthest: 0 });
  }

  take(line, table, word) {
    this.photos += 1;
    if (!table) return void this.wrong.push(`${line.image}: ${word}`);
    this.cards += line.cards.length;
    const codes = (of) => of.cards.map((card) => card.code + (card.unsure ? "?" : "")).join(" ");
    const sets = (of) => JSON.stringify([of.sets, of.probable_sets.map((set) => set.cards)]);
    if (codes(table) !== codes(line)) return void this.wrong.push(`${line.image}: ${codes(table)} instead of ${codes(line)}`);
    if (sets(table) !== sets(line)) return void this.wrong.push(`${line.image}: sets ${sets(table)} instead of ${sets(line)}`);
    line.cards.forEach((card, i) => {
      this.furthest = Math.max(this.furthest, Math.abs(card.confidence - table.cards[i].confidence));
      const apart = Math.max(...card.corners.map((at, k) => Math.hypot(at[0] - table.cards[i].corners[k][0], at[1] - table.cards[i].corners[k][1])));
      if (apart > Math.max(line.width, line.height) / 500) this.wrong.push(`${line.image}: card ${i} lies ${apart.toFixed(1)} px elsewhere`);
    });
  }

  end() {
    say(`${this.photos} photos with ${this.cards} cards, ${this.wrong.length} read otherwise than by the program; confidences at most ${this.furthest.toFixed(4)} apart`);
    check(`all photos are read alike:\n${this.wrong.join("\n")}`, !this.wrong.length && this.furthest <= 0.01);
  }
}
