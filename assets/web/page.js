// Gives the explorer what happens in the page, and draws what it answers. The explorer is the module; nothing is sent.
//
// The script is the files of this folder, one after another inside one function: the elements and the state of the page
// (page), what is drawn (screen), keys and text (keys), the mouse and fingers (pointer), files that are opened (files), what
// survives the page (keep), and how everything begins (start).

// What the module calls between two slices of work. Where the browser can suspend the module, the page puts its turn here.
globalThis.pause = () => {};

// How often the screen shows the progress of work, and how long edits rest before they are kept, in milliseconds.
const PROGRESS_EVERY = 50;
const KEPT_AFTER = 300;
// How long the screen rests before a screen reader hears of it, in milliseconds.
const SPOKEN_AFTER = 150;
const element = (id) => document.getElementById(id);
const screen = element("screen");
const cursor = element("cursor");
const probe = element("probe");
const typing = element("typing");
const stage = element("stage");
const spoken = element("spoken");
const notice = element("notice");
const noticed = element("noticed");
const anew = element("anew");
const title = element("title");
const keys = element("keys");
const showKeys = element("show-keys");
const notes = element("notes");
const showNotes = element("show-notes");
const bar = element("bar");
const chooser = element("files");
const keeps = element("keeps");
const said = element("said");
const drop = element("drop");
const isDark = matchMedia("(prefers-color-scheme: dark)");
const isStrong = matchMedia("(prefers-contrast: more), (forced-colors: active)");
const start = performance.now();
const canRun = typeof WebAssembly === "object" && typeof DecompressionStream === "function";
const canSuspend = canRun && "Suspending" in WebAssembly && "promising" in WebAssembly;
let timer = 0;
let keeper = 0;
let speaker = 0;
let isWorking = false;
let isOver = false;
let explorer = null;
let module = null;

// Returns a text without characters that control how the text around them is shown.
const plain = (text) => String(text).replace(/[\p{Cc}\p{Cf}]/gu, "\ufffd");

const say = (sentence) => { said.textContent = plain(sentence); };

// Says a sentence in the middle of the window.
function notify(sentence) {
  noticed.textContent = plain(sentence);
  notice.hidden = false;
}

// Returns the bytes of a text of base64.
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let place = 0; place < bytes.length; place += 1) bytes[place] = characters.charCodeAt(place);
  return bytes;
}

function textOf(bytes) {
  let characters = "";
  for (let place = 0; place < bytes.length; place += 4096) {
    characters += String.fromCharCode(...bytes.subarray(place, place + 4096));
  }
  return btoa(characters);
}

const through = (bytes, stream) => new Blob([bytes]).stream().pipeThrough(stream);
const unpacked = (text) => through(bytesOf(text), new DecompressionStream("gzip"));
const wholeOf = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());

// Gives the page a turn: it takes keys and draws.
function turn() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      if (explorer && performance.now() - drawnAt >= PROGRESS_EVERY) tell(() => explorer.hear());
      resolve();
    };
    port2.postMessage(null);
  });
}

// Waits until the browser has drawn what is on the screen now. One that draws nothing, as in a hidden tab, is not waited for.
function painted() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, PROGRESS_EVERY);
  });
}

// Has the module suspended in `pause`, where the browser can do that.
function suspending(instantiate) {
  return (source, imports) => {
    for (const functions of Object.values(imports)) {
      for (const name of Object.keys(functions)) {
        if (/^__wbg_pause_/.test(name)) functions[name] = new WebAssembly.Suspending(turn);
      }
    }
    return instantiate(source, imports);
  };
}

// Starts the module, which is in the page packed and as text. It is compiled while it is unpacked.
async function startModule() {
  if (canSuspend) {
    WebAssembly.instantiate = suspending(WebAssembly.instantiate);
    WebAssembly.instantiateStreaming = suspending(WebAssembly.instantiateStreaming);
  }
  const stream = unpacked(element("module").textContent.trim());
  const headers = { "Content-Type": "application/wasm" };
  return wasm_bindgen({ module_or_path: new Response(stream, { headers }) });
}

// Returns a time of day as the explorer shows it.
function clockTime(date) {
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

function tellTime() {
  const now = new Date();
  explorer.tell_time(performance.now() - start, clockTime(now), now.getTime() / 1000);
}

// Copies a text; where a browser gives no clipboard, through a selection.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    if (!document.execCommand("copy")) say("This browser lets pages copy nothing. Select the text, and press ctrl-c.");
    area.remove();
    screen.focus();
  }
}

function download(name, bytes) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function takeAll() {
  for (let taken = explorer.take(); taken; taken = explorer.take()) {
    const name = taken.name();
    const bytes = taken.bytes();
    taken.free();
    if (name === undefined) copy(new TextDecoder().decode(bytes));
    else download(name, bytes);
  }
}

// Does the work that the explorer waits for, one after another. Keys are taken meanwhile.
async function work() {
  if (isWorking) return;
  isWorking = true;
  const perform = canSuspend ? WebAssembly.promising(module.pagework_perform) : module.pagework_perform;
  for (let next = explorer.take_work(); next; next = explorer.take_work()) {
    // The screen says what is being done before it is begun.
    await painted();
    await perform(next.__wbg_ptr);
    next.free();
    tell(() => explorer.hear());
  }
  isWorking = false;
}

// Ends the explorer with a sentence over it. Only the page that is loaded again has another one.
function end(sentence) {
  isOver = true;
  clearTimeout(timer);
  clearTimeout(speaker);
  notify(sentence);
  notice.classList.add("over");
  anew.hidden = false;
  anew.focus();
  bar.inert = true;
  keys.inert = true;
}

// Lets something happen in the explorer, and shows what became of it.
function tell(event) {
  if (isOver) return undefined;
  clearTimeout(timer);
  tellTime();
  const answer = event();
  takeAll();
  draw();
  if (explorer.has_quit()) {
    keep();
    end("The explorer was left.");
    return answer;
  }
  const next = explorer.next_change();
  if (next !== undefined) {
    timer = setTimeout(() => tell(() => undefined), Math.max(0, next - (performance.now() - start)));
  }
  followTyping();
  clearTimeout(speaker);
  speaker = setTimeout(speak, SPOKEN_AFTER);
  clearTimeout(keeper);
  if (keeps.checked) keeper = setTimeout(keep, KEPT_AFTER);
  work();
  return answer;
}

// Says that the explorer failed, and stops using it.
function fail(error) {
  if (isOver) return;
  end(`The explorer failed (${error?.message ?? error}). Edits are offered again if this browser keeps them.`);
}
