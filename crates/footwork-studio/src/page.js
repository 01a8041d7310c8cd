// Files in and out of the page. Nothing is sent anywhere.

// As many bytes as an address in WebAssembly can reach, with room to work.
const MOST_BYTES = 2 ** 30;

/** What is read but not taken yet: `[[name, bytes], ..]`, or a string that says why not. */
const waiting = [];

async function read(files) {
  try {
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    if (bytes > MOST_BYTES) {
      throw `too large for a web page: expected at most ${MOST_BYTES / 2 ** 20} MiB, found ${Math.ceil(bytes / 2 ** 20)} MiB`;
    }
    // All of them at once, since clips are built together.
    const one = async (file) => [
      file.name,
      new Uint8Array(await file.arrayBuffer().catch(() => {
        throw `${file.name}: cannot be read; a folder has to be opened file by file`;
      })),
    ];
    if (files.length > 0) waiting.push(await Promise.all(files.map(one)));
  } catch (why) {
    waiting.push(String(why));
  }
}

/** Takes what is dropped onto the canvas. */
export function listen(canvas) {
  const taken = { capture: true };
  canvas.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    read([...event.dataTransfer.files]);
    // The user interface sees that nothing hovers above it any more.
    canvas.dispatchEvent(new DragEvent("dragleave"));
  }, taken);
}

/** Kept, or some browsers forget it before files are chosen. */
let input;

/** Lets somebody choose files of these kinds. */
export function choose(kinds) {
  input = document.createElement("input");
  Object.assign(input, { type: "file", multiple: true, accept: kinds });
  input.addEventListener("change", () => read([...input.files]));
  input.click();
}

/** The next files, or why they were not read, or undefined. */
export function received() {
  return waiting.shift();
}

/** Offers bytes as a download. */
export function download(name, bytes) {
  const link = document.createElement("a");
  // A copy: the bytes lie in memory that changes.
  link.href = URL.createObjectURL(new Blob([bytes.slice()]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Of each gamepad in the standard layout: left stick, right stick, right trigger, left trigger. */
export function gamepads() {
  const standard = [...(navigator.getGamepads?.() ?? [])].filter((pad) => pad?.mapping === "standard");
  return new Float32Array(standard.flatMap((pad) => [
    ...pad.axes.slice(0, 4), pad.buttons[7].value, pad.buttons[6].value,
  ]));
}
