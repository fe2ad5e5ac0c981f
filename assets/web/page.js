"use strict";
// Gives the explorer what happens in the page, and draws what it answers. The explorer is the module; nothing is sent.

// What the module calls between two slices of work. Where the browser can suspend the module, the page puts its turn here.
function pause() {}

(async () => {
  const BETWEEN_RUNS = "\u001e";
  const BETWEEN_FACTS = "\u001f";
  const CLASSES = [[1, "bold"], [2, "dim"], [4, "italic"], [8, "underlined"], [256, "crossed"]];
  const KEYS = new Set([
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", "Delete", "Backspace", "Enter",
    "Tab", "Escape", "F1", "F2",
  ]);
  // The letters that the explorer takes with ctrl: on its screens, and where text is typed. All others are the browser's.
  const CONTROLS = new Set("bcdfnruz");
  const TYPING_CONTROLS = new Set("abcdefhknpruwz");
  // The letters that a browser keeps with ctrl, so that alt stands for it. On a Mac the browser keeps them with another key.
  const ALTERNATIVES = new Set("nw");
  const IS_MAC = /^(Mac|iP)/.test(navigator.platform);
  // What differs from the explorer of a terminal.
  const RELOAD_NOTE = "F5 does nothing, so that no edit is lost. R reads the files again.";
  const NOTES = [
    "F6 leaves the explorer for the bar, where tab goes on, and comes back.",
    IS_MAC ? "" : "alt-n is ctrl-n (next tree) and alt-w is ctrl-w (delete a word): a browser keeps these for itself.",
    "ctrl-c copies the selected text and quits nothing; q quits.",
    RELOAD_NOTE,
    "Saved files are downloads.",
  ];
  // Keys for fingers: what a button shows, the key, and its name where that is not shown.
  const KEY_ROWS = [
    [
      ["esc", "Escape"], ["↑", "ArrowUp", "up"], ["↓", "ArrowDown", "down"], ["←", "ArrowLeft", "left"],
      ["→", "ArrowRight", "right"], ["⏎", "Enter", "enter"], ["space", " "], ["tab", "Tab"],
      ["⌫", "Backspace", "backspace"],
    ],
    [
      ["? help", "?"], ["/ find", "/"], [": actions", ":"], ["e shares", "e"], ["u undo", "u"], ["y", "y"], ["n", "n"],
      ["1", "1"], ["2", "2"], ["3", "3"], ["4", "4"], ["5", "5"], ["$ columns", "$"], ["p policy", "p"], ["L lessons", "L"],
      ["w save", "w"],
    ],
  ];
  const LEAST_WIDTH = 20;
  const LEAST_HEIGHT = 5;
  // How often the screen shows the progress of work, and how long edits rest before they are kept, in milliseconds.
  const PROGRESS_EVERY = 50;
  const KEPT_AFTER = 300;
  // How long the screen rests before a screen reader hears of it, in milliseconds.
  const SPOKEN_AFTER = 150;
  // How many rows a turn of the wheel scrolls.
  const ROWS_OF_TURN = 3;
  // How many columns of cells a finger moves for one column of the tree.
  const CELLS_OF_COLUMN = 6;
  // How far a finger moves before it swipes, in pixels, and how soon after a tap another makes it a double one.
  const SLOP = 8;
  const DOUBLE_WITHIN = 400;
  // A phone's keyboard deletes only where there is text, so the field holds some.
  const SEED = "    ";
  // A keyboard covers at least so many pixels of a window.
  const KEYBOARD_HEIGHT = 120;
  // How many files a page takes at once, and what it says of more. A folder of more is hardly one tree.
  const MOST_FILES = 200;
  const TOO_MANY = `These are more than ${MOST_FILES} files, too many for a page. Open the folder in the terminal with `
    + "fairscope.";
  // The name of what the page keeps in the browser.
  const STORE = "fairscope";
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
  const files = new Map();
  const packed = new WeakMap();
  let rows = [];
  let timer = 0;
  let keeper = 0;
  let speaker = 0;
  let turned = 0;
  let finger = null;
  let mouse = null;
  let lastTap = { time: -Infinity, column: 0, row: 0 };
  let typed = SEED;
  let wasTyping = false;
  let callsKeyboard = false;
  let drawnAt = 0;
  let kept = "";
  let size = null;
  let cell = { width: 1, height: 1 };
  let paper = "";
  let isWorking = false;
  let isKeeping = false;
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

  // Returns how many cells there is room for, and notes the size of one. Only then it is measured, for measuring takes long.
  function room() {
    const box = probe.getBoundingClientRect();
    cell = { width: box.width / probe.textContent.length, height: box.height };
    return {
      columns: Math.max(LEAST_WIDTH, Math.min(500, Math.floor(screen.clientWidth / cell.width))),
      lines: Math.max(LEAST_HEIGHT, Math.min(200, Math.floor(screen.clientHeight / cell.height))),
    };
  }

  // Returns the cell at a place of the window.
  function place({ clientX, clientY }) {
    const box = screen.getBoundingClientRect();
    return {
      column: Math.max(0, Math.floor((clientX - box.left) / cell.width)),
      row: Math.max(0, Math.floor((clientY - box.top) / cell.height)),
    };
  }

  // Returns the name of the theme that the system asks for.
  function themeName() {
    if (isStrong.matches) return "high-contrast";
    return isDark.matches ? "dark" : "light";
  }

  const modifiers = (event) => (event.shiftKey ? 1 : 0) + (event.ctrlKey ? 2 : 0) + (event.altKey ? 4 : 0);

  // Returns the cells of a run. Characters of ASCII are as wide as their cells; others, and a ground, are held in them.
  function drawnRun(run) {
    const [length, ink, ground, modifier, characters] = run.split(BETWEEN_FACTS);
    const isAscii = /^[ -~]*$/.test(characters);
    if (isAscii && !ink && !ground && modifier === "0") return characters;
    const span = document.createElement("span");
    span.textContent = characters;
    if (ink) span.style.color = ink;
    if (ground) span.style.backgroundColor = ground;
    if (ground || !isAscii) {
      span.className = "held";
      span.style.width = `calc(${length} * var(--cell))`;
    }
    for (const [bit, name] of CLASSES) {
      if (Number(modifier) & bit) span.classList.add(name);
    }
    return span;
  }

  // Gives the page the colours of the explorer's theme, and what the browser draws itself those that fit.
  function drawPaper() {
    const [ink, ground] = [explorer.ink(), explorer.ground()];
    if (paper === ink + ground) return;
    paper = ink + ground;
    const root = document.documentElement;
    root.style.setProperty("--ink", ink);
    root.style.setProperty("--ground", ground);
    const light = /^#[0-9a-f]{6}$/i.test(ground) ? parseInt(ground.slice(3, 5), 16) : 0;
    root.style.colorScheme = light < 128 ? "dark" : "light";
  }

  // Returns a row of the screen, which a screen reader does not read: it hears what is spoken.
  function emptyRow() {
    const row = document.createElement("div");
    row.setAttribute("aria-hidden", "true");
    return row;
  }

  // Tells a screen reader what there is, unless it heard that.
  function speak() {
    const words = explorer.spoken();
    if (spoken.textContent !== words) spoken.textContent = words;
  }

  // Draws the rows that are no longer what they were, so that a selection of the others stays.
  function draw() {
    drawPaper();
    const texts = explorer.frame().split("\n");
    while (screen.children.length > texts.length) screen.lastChild.remove();
    while (screen.children.length < texts.length) screen.append(emptyRow());
    texts.forEach((text, row) => {
      if (rows[row] !== text) screen.children[row].replaceChildren(...text.split(BETWEEN_RUNS).map(drawnRun));
    });
    rows = texts;
    drawnAt = performance.now();
    const at = explorer.cursor();
    cursor.hidden = !at;
    if (at) {
      cursor.style.transform = `translate(${at[0] * cell.width}px, ${at[1] * cell.height}px)`;
      typing.style.transform = cursor.style.transform;
    }
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
      document.execCommand("copy");
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
      // The screen says what is being done before a browser that cannot suspend does it.
      if (!canSuspend) await turn();
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

  // Returns whether text of the screen is selected.
  function isSelected() {
    const selection = getSelection();
    return !selection.isCollapsed && selection.getRangeAt(0).intersectsNode(screen);
  }

  function seed() {
    typed = SEED;
    typing.value = SEED;
    typing.setSelectionRange(SEED.length, SEED.length);
  }

  // Types into a field while the explorer takes text, for a phone's keyboard and for characters that are composed.
  function followTyping() {
    const isTyping = explorer.is_typing();
    if (isTyping !== wasTyping) seed();
    wasTyping = isTyping;
    const [left, entered] = isTyping || callsKeyboard ? [screen, typing] : [typing, screen];
    const active = document.activeElement;
    if ((active === left || active === document.body) && !isSelected()) entered.focus({ preventScroll: true });
  }

  // Presses the keys that change the field's text from what it was into what a keyboard or a composition made of it.
  function onTyped(event) {
    const [before, after] = [Array.from(typed), Array.from(typing.value)];
    typed = typing.value;
    let same = 0;
    while (same < before.length && before[same] === after[same]) same += 1;
    const added = after.slice(same);
    if (before.length > same || added.length > 0) {
      tell(() => {
        for (let gone = before.length; gone > same; gone -= 1) explorer.key("Backspace", 0);
        for (const character of added) explorer.key(character === "\n" ? "Enter" : character, 0);
      });
    }
    const isOdd = typing.value.length < SEED.length || typing.value.length > 200;
    if (isOdd && !event.isComposing) seed();
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

  // Returns a file packed and as text. A file that was packed is not read again.
  async function packedFile(file) {
    if (!packed.has(file)) {
      const bytes = await wholeOf(through(await file.arrayBuffer(), new CompressionStream("gzip")));
      packed.set(file, textOf(bytes));
    }
    return packed.get(file);
  }

  // Returns what tells whether something is to be kept again.
  const stateOf = () => `${explorer.changes()} ${explorer.memory()}`;

  // Keeps in the browser what is to survive this page: edits with their files, marks, columns and finished lessons.
  async function keep() {
    const state = stateOf();
    if (state === kept || isKeeping || isOver) return;
    isKeeping = true;
    try {
      const drafts = explorer.drafts();
      const held = [];
      for (const [path, file] of drafts.length > 0 ? files : []) {
        held.push({ path, modified: file.lastModified / 1000, gzip: await packedFile(file) });
      }
      const now = new Date();
      const when = `${now.toLocaleDateString("sv")} ${clockTime(now).slice(0, 5)}`;
      localStorage.setItem(STORE, JSON.stringify({ memory: explorer.memory(), drafts, when, files: held }));
      kept = state;
    } catch (error) {
      say(error?.name === "NotReadableError" || error?.name === "NotFoundError"
        ? "The browser cannot read the files of your edits again, so the edits are not kept. w saves them as a file."
        : "This browser has no room for your edits and their files: they are not kept. w saves them as a file.");
    }
    isKeeping = false;
  }

  // Leaves the keeping to another page that kept something: each would overwrite what the other keeps.
  function onStored(event) {
    if (event.key !== STORE || !keeps.checked) return;
    keeps.checked = false;
    clearTimeout(keeper);
    say(event.newValue === null
      ? "Another tab with this page ended the keeping: nothing is kept in this browser."
      : "Another tab with this page keeps its edits now, so this one keeps none. w saves them as a file.");
  }

  // Gives the explorer what an earlier page kept.
  async function recall() {
    let text = null;
    try {
      text = localStorage.getItem(STORE);
    } catch {
      forbidKeeping();
    }
    if (text === null) return;
    keeps.checked = true;
    try {
      const { memory, drafts, when, files: held } = JSON.parse(text);
      for (const { path, modified, gzip } of held) {
        const bytes = await wholeOf(unpacked(gzip));
        files.set(path, new File([bytes], path, { lastModified: modified * 1000 }));
        explorer.hold(path, bytes, modified);
      }
      explorer.remember(memory);
      tell(() => explorer.offer_drafts(drafts, when));
      kept = stateOf();
    } catch {
      say("What this browser kept cannot be read, so it is not used.");
    }
  }

  function forbidKeeping() {
    keeps.checked = false;
    keeps.disabled = true;
    keeps.parentElement.title = "This browser forbids pages to keep anything.";
  }

  // Keeps edits from now on, or forgets what was kept.
  function onKeeps() {
    kept = "";
    try {
      if (keeps.checked) {
        keep();
        say("Edits, their files, marks and finished lessons are kept in this browser until you untick the box.");
      } else {
        localStorage.removeItem(STORE);
        say("Nothing is kept in this browser.");
      }
    } catch {
      forbidKeeping();
      say("This browser forbids pages to keep anything. w saves edits as a file.");
    }
  }

  // Adds the files of a folder that was dropped to those that were found, each with its path, until they are too many.
  async function findIn(folder, path, found) {
    for await (const inner of folder.values()) {
      if (found.length > MOST_FILES) return;
      if (inner.kind === "directory") await findIn(inner, `${path}/${inner.name}`, found);
      else found.push([`${path}/${inner.name}`, await inner.getFile()]);
    }
  }

  // Does the same in a browser that knows folders by an older name.
  async function findInEntry(folder, found) {
    const reader = folder.createReader();
    for (;;) {
      const entries = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
      if (entries.length === 0) return;
      for (const inner of entries) {
        if (found.length > MOST_FILES) return;
        if (inner.isDirectory) await findInEntry(inner, found);
        else found.push([inner.fullPath.slice(1), await new Promise((done, reject) => { inner.file(done, reject); })]);
      }
    }
  }

  // Returns paths for files that are given together. They get a folder unless they are in one.
  function pathsOf(given) {
    const names = given.map(([name]) => name);
    if (names.length < 2 || names.every((name) => name.includes("/"))) return names;
    let number = 1;
    while ([...files.keys()].some((path) => path.startsWith(`files-${number}/`))) number += 1;
    return names.map((name) => `files-${number}/${name}`);
  }

  // Returns why files are not opened together; undefined if they are.
  function refusalOf(given) {
    if (given.length > MOST_FILES) return TOO_MANY;
    let size = 0;
    for (const [name, file] of given) {
      const refusal = wasm_bindgen.PageExplorer.refusal(name, file.size);
      if (refusal) return refusal;
      size += file.size;
    }
    return wasm_bindgen.PageExplorer.refusal("The selection", size);
  }

  // Opens files, each with its name, as one tree. All are read before the explorer gets any.
  async function open(given) {
    if (given.length === 0 || isOver) return;
    const refusal = refusalOf(given);
    if (refusal) {
      say(refusal);
      return;
    }
    say(given.length === 1 ? "Reading 1 file …" : `Reading ${given.length} files …`);
    const read = [];
    for (const [name, file] of given) {
      try {
        read.push(new Uint8Array(await file.arrayBuffer()));
      } catch {
        say(`The browser cannot read ${name}. Choose it again.`);
        return;
      }
    }
    const paths = pathsOf(given);
    for (const [place, [, file]] of given.entries()) {
      explorer.give(paths[place], read[place], file.lastModified / 1000);
      files.set(paths[place], file);
    }
    say("These files are read in this page and sent nowhere.");
    tell(() => explorer.open());
    screen.focus();
  }

  // Types a text where text is being typed, and opens it as a file otherwise.
  function paste(text) {
    if (!text) return;
    if (explorer.is_typing()) {
      tell(() => explorer.paste(text));
      return;
    }
    let number = 1;
    while (files.has(`pasted-${number}.txt`)) number += 1;
    const name = `pasted-${number}.txt`;
    open([[name, new File([text], name)]]);
  }

  // Opens the tree that a site put into the page. Returns why it cannot.
  async function openSite(site) {
    for (const { path, modified, gzip } of site.files) {
      explorer.give(path, await wholeOf(unpacked(gzip)), modified);
    }
    document.title = plain(site.title);
    title.hidden = false;
    title.textContent = plain(site.title);
    if (site.link && ["http:", "https:", "file:"].includes(new URL(site.link, location).protocol)) {
      const link = document.createElement("a");
      link.href = site.link;
      link.rel = "noreferrer";
      link.textContent = "back";
      title.append(" ", link);
    }
    return tell(() => explorer.open_site(JSON.stringify(site)));
  }

  // Opens what the address asks for, and else the site's tree or the first example. Says what it cannot open.
  async function begin() {
    const address = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
    const refusals = [];
    const ask = (refusal) => { if (refusal) refusals.push(refusal); };
    const site = JSON.parse(element("site").textContent);
    const { example, lesson, policy, keys } = Object.fromEntries(address);
    for (const word of address.keys()) {
      if (!["example", "lesson", "policy", "keys"].includes(word)) {
        ask(`The address asks for ${word.slice(0, 40)}, which is unknown (example, lesson, policy, keys).`);
      }
    }
    if (policy) ask(explorer.set_policy(policy));
    if (lesson) ask(tell(() => explorer.open_lesson(lesson)));
    else if (example) ask(tell(() => explorer.open_example(example)));
    else if (site) ask(await openSite(site));
    if (!explorer.is_open()) ask(tell(() => explorer.open_first()));
    if (keys) ask(tell(() => explorer.play(keys)));
    if (refusals.length > 0) say(refusals.join(" "));
  }

  // Leaves the explorer for the bar, or comes back to it.
  function crossOver() {
    (isInExplorer(document.activeElement) ? chooser : screen).focus();
  }

  const isInExplorer = (element) => [screen, typing, document.body].includes(element);

  // Gives the keys back to the explorer after a click on the bar. Who came there with a key stays.
  function returnFromBar() {
    const active = document.activeElement;
    if (bar.contains(active) && !active.matches(":focus-visible")) screen.focus();
  }

  // Shows that the explorer was entered with a key.
  function onEntered(event) {
    const from = event.relatedTarget;
    stage.classList.toggle("entered", !!from && !isInExplorer(from) && screen.matches(":focus-visible"));
  }

  function onKey(event) {
    if (isOver) return;
    if (event.key === "F6") {
      event.preventDefault();
      crossOver();
      return;
    }
    if (!isInExplorer(event.target)) return;
    if (event.isComposing || event.keyCode === 229 || event.metaKey) return;
    if (event.key === "F5" && modifiers(event) === 0) {
      event.preventDefault();
      say(RELOAD_NOTE);
      return;
    }
    const key = keyOf(event);
    if (key && tell(() => explorer.key(key.name, key.held))) event.preventDefault();
    if (key && event.target === typing) seed();
  }

  // Returns the key of the explorer, by its name and modifiers; null for a key that is the browser's.
  function keyOf(event) {
    const name = event.key;
    const { ctrlKey, altKey, shiftKey } = event;
    // Some layouts compose characters with keys that count as ctrl and alt, and a Mac with one that counts as alt.
    const isComposed = event.getModifierState("AltGraph") || (ctrlKey && altKey) || (altKey && IS_MAC);
    if (!isCharacter(name)) return KEYS.has(name) && !altKey ? { name, held: modifiers(event) } : null;
    if (isComposed || !(ctrlKey || altKey)) return { name, held: 0 };
    if (shiftKey) return null;
    const letter = name.toLowerCase();
    if (altKey) return ALTERNATIVES.has(letter) ? { name: letter, held: 2 } : null;
    // Copying what is selected is the browser's, and a page is not left by who would copy.
    if (letter === "c") return isSelected() ? null : { name: "Escape", held: 0 };
    const isTaken = (explorer.is_typing() ? TYPING_CONTROLS : CONTROLS).has(letter);
    return isTaken ? { name: letter, held: 2 } : null;
  }

  // Returns whether a key is a character. One beyond the first 65,536 has two units.
  const isCharacter = (name) => name.length === 1 || (name.length === 2 && name.codePointAt(0) > 0xffff);

  // Returns whether a tap or a click is the second one at its place.
  function isDouble(event, { column, row }) {
    const since = event.timeStamp - lastTap.time;
    const isNear = Math.abs(column - lastTap.column) <= 2 && row === lastTap.row;
    const isSecond = event.detail === 2 || (since < DOUBLE_WITHIN && isNear);
    lastTap = { time: isSecond ? -Infinity : event.timeStamp, column, row };
    return isSecond;
  }

  // Notes where the mouse is pressed. A second press selects no word, because it opens what it is on.
  function onPress(event) {
    mouse = { x: event.clientX, y: event.clientY, does: null };
    if (event.detail > 1) event.preventDefault();
  }

  // Drags in a chart. Everywhere else a mouse that is dragged selects text.
  function onMouseMove(event) {
    if (!mouse || (event.buttons & 1) === 0) return;
    if (Math.hypot(event.clientX - mouse.x, event.clientY - mouse.y) < SLOP / 2) return;
    if (mouse.does === null) {
      mouse.does = drags(place(event)) ? "drag" : "select";
      document.body.classList.toggle("dragging", mouse.does === "drag");
    } else if (mouse.does === "drag") {
      drags(place(event));
    }
  }

  function onRelease() {
    document.body.classList.remove("dragging");
  }

  // Returns the selected text of the screen: a line for each row, without the blanks at its end.
  function selectedText() {
    const selected = getSelection().getRangeAt(0);
    const lines = [];
    for (const row of screen.children) {
      if (!selected.intersectsNode(row)) continue;
      const part = document.createRange();
      part.selectNodeContents(row);
      if (part.compareBoundaryPoints(Range.START_TO_START, selected) < 0) {
        part.setStart(selected.startContainer, selected.startOffset);
      }
      if (part.compareBoundaryPoints(Range.END_TO_END, selected) > 0) {
        part.setEnd(selected.endContainer, selected.endOffset);
      }
      if (!part.collapsed) lines.push(part.toString().trimEnd());
    }
    return lines.join("\n");
  }

  function onCopy(event) {
    if (!isSelected()) return;
    event.clipboardData.setData("text/plain", selectedText());
    event.preventDefault();
  }

  function onClick(event) {
    if (mouse?.does === "drag" || (mouse?.does === "select" && isSelected())) return;
    const at = place(event);
    const { column, row } = at;
    if (isDouble(event, at)) {
      getSelection().removeAllRanges();
      tell(() => explorer.mouse("double", column, row, modifiers(event)));
    } else {
      tell(() => {
        explorer.mouse("down", column, row, modifiers(event));
        explorer.mouse("up", column, row, modifiers(event));
      });
    }
    // A keyboard that was put away comes back with a tap.
    if (document.activeElement === typing && !document.body.classList.contains("covered")) {
      typing.blur();
      typing.focus({ preventScroll: true });
    }
  }

  // Turns the wheel at a cell by so many pixels, down if that is more than zero.
  function scroll(distance, { column, row }, held) {
    turned += distance / (cell.height * ROWS_OF_TURN);
    const kind = turned < 0 ? "wheel-up" : "wheel-down";
    const count = Math.floor(Math.abs(turned));
    if (count === 0) return;
    turned -= Math.sign(turned) * count;
    tell(() => {
      for (let turn = 0; turn < Math.min(20, count); turn += 1) explorer.mouse(kind, column, row, held);
    });
  }

  function onWheel(event) {
    if (event.ctrlKey) return;
    event.preventDefault();
    const pixels = [1, cell.height, screen.clientHeight][event.deltaMode];
    scroll(event.deltaY * pixels, place(event), modifiers(event));
  }

  // Drags at a cell. Returns whether that changed the screen: only a chart has something to drag.
  function drags({ column, row }) {
    const before = explorer.frame();
    tell(() => explorer.mouse("drag", column, row, 0));
    return explorer.frame() !== before;
  }

  function onTouchStart(event) {
    const [touch] = event.touches;
    turned = 0;
    finger = event.touches.length === 1
      ? { x: touch.clientX, y: touch.clientY, at: place(touch), does: null, speed: 0, time: event.timeStamp }
      : null;
  }

  // Returns what a finger does that moved so far: it scrolls, moves the columns or drags.
  function swipe(touch) {
    const [across, down] = [Math.abs(touch.clientX - finger.x), Math.abs(touch.clientY - finger.y)];
    if (Math.max(across, down) < SLOP) return null;
    if (down >= across) return "scroll";
    return drags(place(touch)) ? "drag" : "columns";
  }

  // Shows the columns to the right of those shown, or to the left, for each few cells that a finger moved.
  function moveColumns(touch) {
    const steps = Math.trunc((finger.x - touch.clientX) / (cell.width * CELLS_OF_COLUMN));
    if (steps === 0 || explorer.is_typing()) return;
    finger.x = touch.clientX;
    tell(() => explorer.key(steps > 0 ? "ArrowRight" : "ArrowLeft", 1));
  }

  function onTouchMove(event) {
    if (!finger || document.body.classList.contains("enlarged")) return;
    if (event.cancelable) event.preventDefault();
    const [touch] = event.touches;
    finger.does ??= swipe(touch);
    if (finger.does === "scroll") {
      const distance = finger.y - touch.clientY;
      finger.speed = distance / Math.max(1, event.timeStamp - finger.time);
      finger.y = touch.clientY;
      scroll(distance, finger.at, 0);
    } else if (finger.does === "columns") {
      moveColumns(touch);
    } else if (finger.does === "drag") {
      drags(place(touch));
    }
    finger.time = event.timeStamp;
  }

  // Lets a swipe run on as long as its speed lasts, unless the finger rested or another one begins.
  function onTouchEnd(event) {
    const thrown = finger;
    if (thrown?.does !== "scroll" || event.timeStamp - thrown.time > 60) return;
    let time = performance.now();
    const roll = (now) => {
      const since = now - time;
      time = now;
      if (finger !== thrown || Math.abs(thrown.speed) < 0.1) return;
      scroll(thrown.speed * since, thrown.at, 0);
      thrown.speed *= 0.997 ** since;
      requestAnimationFrame(roll);
    };
    requestAnimationFrame(roll);
  }

  // Returns a button that presses a key.
  function keyButton([shown, name, spoken]) {
    const button = document.createElement("button");
    button.type = "button";
    button.tabIndex = -1;
    button.textContent = shown;
    if (spoken) button.setAttribute("aria-label", spoken);
    button.addEventListener("click", () => tell(() => explorer.key(name, 0)));
    return button;
  }

  // Returns a button that brings up a phone's keyboard for every other key.
  function keyboardButton() {
    const button = keyButton(["abc", "", "abc, the keyboard"]);
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      callsKeyboard = !callsKeyboard;
      button.setAttribute("aria-pressed", String(callsKeyboard));
      followTyping();
    });
    return button;
  }

  // Shows what differs from the explorer of a terminal, or hides it.
  function toggleNotes() {
    notes.hidden = !notes.hidden;
    showNotes.setAttribute("aria-expanded", String(!notes.hidden));
  }

  function addNotes() {
    for (const note of NOTES.filter((note) => note !== "")) {
      const line = document.createElement("p");
      line.textContent = note;
      notes.append(line);
    }
  }

  function addKeys() {
    for (const row of KEY_ROWS) {
      const group = document.createElement("div");
      group.append(...row.map(keyButton));
      keys.append(group);
    }
    keys.firstChild.children[6].after(keyboardButton());
    // A button that is pressed leaves the keyboard where it is.
    keys.addEventListener("mousedown", (event) => event.preventDefault());
    toggleKeys(matchMedia("(pointer: coarse)").matches);
  }

  function toggleKeys(isShown) {
    keys.hidden = !isShown;
    showKeys.setAttribute("aria-expanded", String(isShown));
  }

  // Fits the page into what a keyboard leaves of the window. A page that fingers enlarged stays as it is.
  function fitWindow() {
    const { scale, height, offsetTop } = visualViewport;
    const isEnlarged = scale > 1.01;
    const left = Math.round(height * scale);
    document.body.classList.toggle("enlarged", isEnlarged);
    document.body.classList.toggle("covered", innerHeight - left > KEYBOARD_HEIGHT);
    document.body.style.height = `${left}px`;
    document.body.style.top = isEnlarged ? "0" : `${offsetTop}px`;
  }

  async function onDrop(event) {
    if (!hasFiles(event)) return;
    event.preventDefault();
    drop.hidden = true;
    const found = [];
    const folders = [];
    // What was dropped can be asked for only now, before anything is waited for.
    for (const item of event.dataTransfer.items) {
      const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
      if (entry?.isDirectory) folders.push({ entry, handle: item.getAsFileSystemHandle?.() });
      else if (entry) found.push([entry.name, item.getAsFile()]);
    }
    try {
      const handles = await Promise.all(folders.map(({ handle }) => handle));
      for (const [place, { entry }] of folders.entries()) {
        const handle = handles[place];
        await (handle ? findIn(handle, handle.name, found) : findInEntry(entry, found));
      }
    } catch {
      say("This browser cannot read a folder that is dropped here. Open its files instead.");
      return;
    }
    await open(found);
  }

  const hasFiles = (event) => event.dataTransfer.types.includes("Files");

  // Shows that files can be dropped, until they leave the window.
  function onDrag(event) {
    if (!hasFiles(event)) return;
    event.preventDefault();
    drop.hidden = event.type === "dragleave" && !event.relatedTarget;
  }

  // Says that the explorer failed, and stops using it.
  function fail(error) {
    if (isOver) return;
    end(`The explorer failed (${error?.message ?? error}). Edits are offered again if this browser keeps them.`);
  }

  // Gives the explorer as many cells as there is room for.
  function fit() {
    const { columns, lines } = room();
    if (columns === size.columns && lines === size.lines) return;
    size = { columns, lines };
    tell(() => explorer.resize(columns, lines));
  }

  bar.inert = true;
  if (!canRun) {
    notify("This page is a program for WebAssembly, which this browser does not run. A newer browser does.");
    return;
  }
  anew.addEventListener("click", () => location.reload());
  addKeys();
  addNotes();
  fitWindow();
  try {
    module = await startModule();
  } catch (error) {
    notify(`The explorer does not start in this browser (${error?.message ?? error}). A newer browser may start it.`);
    return;
  }
  size = room();
  explorer = new wasm_bindgen.PageExplorer(size.columns, size.lines, themeName());
  addEventListener("error", (event) => { if (event.error) fail(event.error); });
  addEventListener("unhandledrejection", (event) => fail(event.reason));
  await begin();
  notice.hidden = !isOver;
  bar.inert = isOver;
  await recall();
  document.addEventListener("keydown", onKey);
  document.addEventListener("paste", (event) => {
    event.preventDefault();
    const pasted = [...event.clipboardData.files].map((file) => [file.name, file]);
    if (pasted.length > 0) open(pasted);
    else paste(event.clipboardData.getData("text/plain"));
  });
  document.addEventListener("copy", onCopy);
  screen.addEventListener("mousedown", onPress);
  screen.addEventListener("mousemove", onMouseMove);
  document.addEventListener("mouseup", onRelease);
  screen.addEventListener("click", onClick);
  screen.addEventListener("wheel", onWheel, { passive: false });
  screen.addEventListener("touchstart", onTouchStart, { passive: true });
  screen.addEventListener("touchmove", onTouchMove, { passive: false });
  screen.addEventListener("touchend", onTouchEnd);
  typing.addEventListener("input", onTyped);
  typing.addEventListener("compositionend", onTyped);
  showNotes.addEventListener("click", toggleNotes);
  showKeys.addEventListener("click", () => toggleKeys(keys.hidden));
  document.addEventListener("dragover", onDrag);
  document.addEventListener("dragleave", onDrag);
  document.addEventListener("drop", onDrop);
  chooser.addEventListener("change", () => {
    open([...chooser.files].map((file) => [file.name, file]));
    chooser.value = "";
  });
  chooser.addEventListener("cancel", returnFromBar);
  bar.addEventListener("click", () => setTimeout(returnFromBar));
  screen.addEventListener("focus", onEntered);
  screen.addEventListener("blur", () => stage.classList.remove("entered"));
  screen.addEventListener("pointerdown", () => stage.classList.remove("entered"));
  keeps.addEventListener("change", onKeeps);
  addEventListener("beforeunload", (event) => {
    if (explorer.is_unsaved() && !keeps.checked) event.preventDefault();
  });
  addEventListener("hashchange", begin);
  addEventListener("storage", onStored);
  for (const wish of [isDark, isStrong]) {
    wish.addEventListener("change", () => tell(() => explorer.set_theme(themeName())));
  }
  new ResizeObserver(fit).observe(screen);
  for (const change of ["resize", "scroll"]) visualViewport.addEventListener(change, fitWindow);
  screen.focus();
})();
