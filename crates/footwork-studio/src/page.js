// Files of the page: drop, select, download. Nothing is sent to a server.

// Maximum bytes of opened files: part of the address space of WebAssembly, with room for the work on them.
const MOST_BYTES = 2 ** 30;

/** Read files that are not taken yet: `[[name, bytes], ..]`, or an error message. */
const waiting = [];

async function read(files) {
  try {
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    if (bytes > MOST_BYTES) {
      throw `too large for a web page: expected at most ${MOST_BYTES / 2 ** 20} MiB, found ${Math.ceil(bytes / 2 ** 20)} MiB`;
    }
    // All files at once, because clips are built together.
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

/** Reads files that are dropped onto the canvas. */
export function listen(canvas) {
  const taken = { capture: true };
  canvas.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    read([...event.dataTransfer.files]);
    // Tells the user interface that no file hovers above it now.
    canvas.dispatchEvent(new DragEvent("dragleave"));
  }, taken);
}

/** Stored, because some browsers drop it before files are selected. */
let input;

/** Opens the file dialog for files of these kinds. */
export function choose(kinds) {
  input = document.createElement("input");
  Object.assign(input, { type: "file", multiple: true, accept: kinds });
  input.addEventListener("change", () => read([...input.files]));
  input.click();
}

/** Returns the next files, an error message, or undefined. */
export function received() {
  return waiting.shift();
}

/** Offers bytes as a download. */
export function download(name, bytes) {
  const link = document.createElement("a");
  // A copy, because the memory of the bytes changes.
  link.href = URL.createObjectURL(new Blob([bytes.slice()]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Returns for each gamepad in the standard layout: left stick, right stick, right trigger, left trigger. */
export function gamepads() {
  const standard = [...(navigator.getGamepads?.() ?? [])].filter((pad) => pad?.mapping === "standard");
  return new Float32Array(standard.flatMap((pad) => [
    ...pad.axes.slice(0, 4), pad.buttons[7].value, pad.buttons[6].value,
  ]));
}
