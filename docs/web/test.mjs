// Tests the built page in a browser without a window: node docs/web/test.mjs SITE FILES HASH PICTURES
//
// SITE is the folder that docs/web/build wrote. FILES and HASH come from the example `page` of footwork-studio; pictures of the
// page are written to PICTURES. FOOTWORK_BROWSER names the browser; default: chromium. docs/web/test does all of it.
//
// Drives the browser over the pipe of its DevTools protocol: messages of JSON that end with a zero byte.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [site, files, hash, pictures] = process.argv.slice(2);
assert(pictures, "expected SITE FILES HASH PICTURES");
const folder = mkdtempSync(join(tmpdir(), "footwork-web-"));
mkdirSync(pictures, { recursive: true });

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const server = createServer((request, answer) => {
  const path = normalize(new URL(request.url, "http://localhost").pathname);
  const file = join(site, path.endsWith("/") ? `${path}index.html` : path);
  if (!existsSync(file)) return answer.writeHead(404).end();
  answer.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}/`;

const browser = spawn(
  process.env.FOOTWORK_BROWSER ?? "chromium",
  [
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--window-size=1280,720", `--user-data-dir=${join(folder, "profile")}`, "about:blank",
  ],
  { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
);
const [to, from] = [browser.stdio[3], browser.stdio[4]];
const answers = new Map();
const events = [];
let session, count = 0, rest = Buffer.alloc(0);
from.on("data", (bytes) => {
  rest = Buffer.concat([rest, bytes]);
  for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
    const message = JSON.parse(rest.subarray(0, end));
    const waiting = answers.get(message.id);
    if (!waiting) events.push(message);
    else if (message.error) waiting.fail(new Error(JSON.stringify(message.error)));
    else waiting.done(message.result);
    answers.delete(message.id);
  }
});

const call = (method, params = {}) =>
  new Promise((done, fail) => {
    answers.set(++count, { done, fail });
    to.write(`${JSON.stringify({ id: count, method, params, ...(session && { sessionId: session }) })}\0`);
  });

async function evaluate(expression) {
  const told = await call("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
  assert(!told.exceptionDetails, `${expression}: ${JSON.stringify(told.exceptionDetails)}`);
  return told.result.value;
}

/** What the page tells about itself. */
const state = () => evaluate("window.footwork ?? {}");

async function until(what, holds, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const now = await state();
    if (holds(now)) return now;
    assert(Date.now() < end, `${what}: not within ${seconds} s: ${JSON.stringify(now)}, ${await evaluate("document.getElementById('words').textContent")}`);
    await sleep(50);
  }
}

const loaded = () => until("data", (s) => s.data && !s.loading, 180);
/** Waits until a few pictures are drawn. */
const settle = (pictures = 4) =>
  evaluate(`new Promise((done) => { let n = ${pictures}; const on = () => (n-- ? requestAnimationFrame(on) : done()); on(); })`);
const key = (type, key, code, more = {}) =>
  call("Input.dispatchKeyEvent", { type, key, code, windowsVirtualKeyCode: key.toUpperCase().charCodeAt(0), ...more });
async function press(letter, more) {
  await key("keyDown", letter, `Key${letter.toUpperCase()}`, more);
  await settle();
  await key("keyUp", letter, `Key${letter.toUpperCase()}`, more);
  await settle();
}
async function click(x, y) {
  for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) {
    await call("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
    // A button that is held for long is no click.
    await settle(type === "mousePressed" ? 1 : 4);
  }
}
/** Drops `{name: bytes}` onto the page. */
async function drop(dropped) {
  const { loads } = await state();
  const entries = Object.entries(dropped).map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]);
  await evaluate(`(() => {
    const data = new DataTransfer();
    for (const [name, text] of ${JSON.stringify(entries)}) {
      data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
    }
    const at = { dataTransfer: data, bubbles: true, cancelable: true };
    document.getElementById("studio").dispatchEvent(new DragEvent("dragover", at));
    document.getElementById("studio").dispatchEvent(new DragEvent("drop", at));
  })()`);
  return until(`${Object.keys(dropped)} opened`, (s) => s.loads > loads && !s.loading, 180);
}
const file = (name) => readFileSync(join(files, name));
async function picture(name) {
  await settle();
  const { data } = await call("Page.captureScreenshot", { format: "png" });
  writeFileSync(join(pictures, `${name}.png`), Buffer.from(data, "base64"));
}
const open = async () => {
  await call("Page.navigate", { url: address });
  return loaded();
};
const steps = [];
const step = (what) => steps.push(what) && console.log(`  ${((Date.now() - begin) / 1000).toFixed(1).padStart(6)} s  ${what}`);
const begin = Date.now();

async function test() {
  const { targetId } = await call("Target.createTarget", { url: "about:blank" });
  session = (await call("Target.attachToTarget", { targetId, flatten: true })).sessionId;
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await call(`${domain}.enable`);
  await call("Page.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  const size = (width, height) =>
    call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  const scheme = (value) => call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });

  await size(1280, 720);
  await scheme("light");
  const first = await open();
  assert.equal(first.data, "built-in data");
  assert(first.live && !first.message, JSON.stringify(first));
  step("the page opens with the built-in data");

  await key("keyDown", "w", "KeyW");
  const start = await state();
  const end = await until("two seconds", (s) => s.seconds >= start.seconds + 2);
  await key("keyUp", "w", "KeyW");
  const metres = Math.hypot(end.position[0] - start.position[0], end.position[2] - start.position[2]);
  assert(metres > 2 && metres < 5, `W held for 2 s: expected 2 m to 5 m, found ${metres} m`);
  step(`W held for ${(end.seconds - start.seconds).toFixed(2)} s: ${metres.toFixed(2)} m`);

  await key("keyDown", "w", "KeyW");
  for (const [width, height] of [[1280, 720], [1920, 1080]]) {
    await size(width, height);
    for (const value of ["light", "dark"]) {
      await scheme(value);
      await picture(`live-${width}x${height}-${value}`);
    }
  }
  await key("keyUp", "w", "KeyW");
  await size(1280, 720);
  await settle();
  await press("p");
  const paused = await until("the pause", (s) => !s.live);
  // The tracks of the timeline are in the lower part of the page.
  await click(500, 660);
  const early = await state();
  assert(!early.live && early.update < paused.update, JSON.stringify([paused.update, early.update]));
  await click(700, 660);
  const late = await state();
  assert(late.update > early.update && late.pose !== early.pose, JSON.stringify([early, late]));
  await click(500, 660);
  assert.equal((await state()).pose, early.pose);
  await picture("paused-1280x720-dark");
  await scheme("light");
  await picture("paused-1280x720-light");
  step("the timeline scrubs, and gives the same pose again");

  const broken = await drop({ "broken.fwdb": file("small.fwdb").subarray(0, 5000) });
  assert(broken.message?.includes("broken.fwdb") && broken.data === "built-in data", JSON.stringify(broken));
  await picture("broken-1280x720-light");
  assert((await drop({ "hero.fbx": "Kaydara" })).message?.includes("hero.fbx"));
  step("a broken file is refused by name");

  const database = await drop({ "small.fwdb": file("small.fwdb") });
  assert(database.data === "small.fwdb" && !database.message && database.live, JSON.stringify(database));
  const trace = await drop({ "run.fwtrace": file("run.fwtrace") });
  assert(!trace.live && !trace.message, JSON.stringify(trace));
  const settings = await drop({ "hero.toml": "[matcher]\nresponsiveness = 2.0\n" });
  assert(!settings.message, JSON.stringify(settings));
  const names = readdirSync(files).filter((name) => name.endsWith(".bvh")).sort();
  const clips = await drop(Object.fromEntries(names.map((name) => [name, file(name)])));
  assert(clips.data === names[0] && !clips.message && clips.live, JSON.stringify(clips));
  step("a database, a recording, settings and clips open");

  await call("Page.setInterceptFileChooserDialog", { enabled: true });
  const { loads } = await state();
  await click(22, 11);
  await click(60, 36);
  let chooser;
  for (let wait = 0; !(chooser = events.find((e) => e.method === "Page.fileChooserOpened")); wait++) {
    assert(wait < 100, "no dialog to choose files");
    await sleep(100);
  }
  const { backendNodeId } = chooser.params;
  await call("DOM.setFileInputFiles", { files: [resolve(files, "small.fwdb")], backendNodeId });
  await until("the chosen file", (s) => s.loads > loads && !s.loading && s.data === "small.fwdb");
  step("a file is chosen with the menu");

  await press("s", { modifiers: 2 });
  const saved = await until("settings are saved", (s) => s.message);
  assert(saved.message.includes("hero.toml"), saved.message);
  for (let wait = 0; !existsSync(join(folder, "hero.toml")); wait++) {
    assert(wait < 100, "no download");
    await sleep(100);
  }
  assert.equal(readFileSync(join(folder, "hero.toml"), "utf8"), "[matcher]\nresponsiveness = 2.0\n");
  step("settings are saved as a download");

  const found = await evaluate("window.footwork_minute()");
  assert.equal(found, hash, `a scripted minute in the page: expected the poses of this machine, ${hash}, found ${found}`);
  step(`a scripted minute has the poses of this machine: ${found}`);

  const complaints = events.filter(
    ({ method, params }) =>
      method === "Runtime.exceptionThrown" ||
      (method === "Runtime.consoleAPICalled" && ["error", "assert"].includes(params.type)) ||
      (method === "Log.entryAdded" && params.entry.level === "error"),
  );
  assert.deepEqual(complaints, []);
  const asked = events.filter((e) => e.method === "Network.requestWillBeSent").map((e) => e.params.request.url);
  const foreign = asked.filter((url) => ![address, "data:", "blob:"].some((start) => url.startsWith(start)));
  assert(asked.length > 2 && foreign.length === 0, foreign.join(" "));
  step(`no errors; ${asked.length} requests, all for the page's own files`);

  // What a browser cannot do is told.
  const says = async (source, words) => {
    const { identifier } = await call("Page.addScriptToEvaluateOnNewDocument", { source });
    await call("Page.navigate", { url: address });
    for (let wait = 0; ; wait++) {
      const text = await evaluate("document.getElementById('words')?.textContent ?? ''").catch(() => "");
      if (text.includes(words)) break;
      assert(wait < 200, `${source}: the page says ${text}`);
      await sleep(100);
    }
    await call("Page.removeScriptToEvaluateOnNewDocument", { identifier });
  };
  await says("HTMLCanvasElement.prototype.getContext = () => null", "needs WebGL");
  await picture("without-webgl-1280x720-light");
  await says("delete globalThis.WebAssembly", "needs a browser with WebAssembly");
  step("the page says what the browser lacks");

  const kept = "localStorage.setItem('footwork.settings', '[matcher]\\nresponsiveness = 3.0\\n')";
  await call("Page.addScriptToEvaluateOnNewDocument", { source: kept });
  await open();
  const again = await until("settings of the last time", (s) => s.message);
  assert(again.message.includes("in force again"), again.message);
  step("settings that were not saved are in force again");
}

const deadline = setTimeout(() => {
  console.error(`the web page: not done after 600 s; last: ${steps.at(-1)}`);
  browser.kill();
  process.exit(1);
}, 600_000);
try {
  await test();
  console.log(`the web page: ${steps.length} steps passed in ${((Date.now() - begin) / 1000).toFixed(1)} s; pictures in ${pictures}`);
} catch (error) {
  console.error(error);
  if (session) await Promise.race([picture("failed"), sleep(5000)]).catch(() => {});
  process.exitCode = 1;
} finally {
  clearTimeout(deadline);
  const gone = new Promise((done) => browser.once("exit", done));
  browser.kill();
  await gone;
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
