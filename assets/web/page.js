"use strict";
// Gives the explorer what happens in the page, and draws what it answers. The explorer is the module; nothing is sent.
(async () => {
  const BETWEEN_RUNS = "\u001e";
  const BETWEEN_FACTS = "\u001f";
  const CLASSES = [[1, "bold"], [2, "dim"], [4, "italic"], [8, "underlined"], [256, "crossed"]];
  const KEYS = new Set([
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", "Insert", "Delete",
    "Backspace", "Enter", "Tab", "Escape", "F1", "F2", "F3", "F4", "F6", "F7", "F8", "F9", "F10",
  ]);
  const LEAST_WIDTH = 20;
  const LEAST_HEIGHT = 5;
  const screen = document.getElementById("screen");
  const said = document.getElementById("said");
  const start = performance.now();
  let rows = [];
  let timer = 0;
  let turned = 0;
  let explorer = null;

  const say = (sentence) => { said.textContent = sentence; };

  // Returns the bytes of the module, which stands in the page packed and as text.
  async function moduleBytes() {
    const text = document.getElementById("module").textContent.trim();
    const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  // Returns the size of a cell in pixels.
  function cell() {
    const probe = document.createElement("span");
    probe.id = "probe";
    probe.textContent = "x".repeat(100);
    screen.append(probe);
    const { width } = probe.getBoundingClientRect();
    const height = parseFloat(getComputedStyle(probe).height);
    probe.remove();
    return { width: width / 100, height };
  }

  // Returns how many cells there is room for.
  function room() {
    const { width, height } = cell();
    return {
      columns: Math.max(LEAST_WIDTH, Math.min(500, Math.floor(screen.clientWidth / width))),
      lines: Math.max(LEAST_HEIGHT, Math.min(200, Math.floor(screen.clientHeight / height))),
    };
  }

  // Returns the cell below the pointer.
  function place(event) {
    const { width, height } = cell();
    const box = screen.getBoundingClientRect();
    return {
      column: Math.max(0, Math.floor((event.clientX - box.left) / width)),
      row: Math.max(0, Math.floor((event.clientY - box.top) / height)),
    };
  }

  const modifiers = (event) => (event.shiftKey ? 1 : 0) + (event.ctrlKey ? 2 : 0) + (event.altKey ? 4 : 0);

  function drawRow(row, text) {
    const spans = [];
    for (const run of text.split(BETWEEN_RUNS)) {
      const [length, ink, ground, modifier, characters] = run.split(BETWEEN_FACTS);
      const span = document.createElement("span");
      span.textContent = characters;
      span.style.width = `${length}ch`;
      if (ink) span.style.color = ink;
      if (ground) span.style.backgroundColor = ground;
      for (const [bit, name] of CLASSES) {
        if (Number(modifier) & bit) span.classList.add(name);
      }
      spans.push(span);
    }
    row.replaceChildren(...spans);
  }

  // Draws the rows that are no longer what they were, so that a selection of the others stays.
  function draw() {
    document.body.style.color = explorer.ink();
    document.body.style.backgroundColor = explorer.ground();
    const texts = explorer.frame().split("\n");
    document.getElementById("cursor")?.remove();
    while (screen.children.length > texts.length) screen.lastChild.remove();
    while (screen.children.length < texts.length) screen.append(document.createElement("div"));
    texts.forEach((text, row) => {
      if (rows[row] !== text) drawRow(screen.children[row], text);
    });
    rows = texts;
    const at = explorer.cursor();
    if (at) {
      const cursor = document.createElement("i");
      cursor.id = "cursor";
      cursor.style.left = `${at[0]}ch`;
      cursor.style.top = `${1.25 * at[1]}em`;
      screen.append(cursor);
    }
  }

  function tellTime() {
    const now = new Date();
    const time = [now.getHours(), now.getMinutes(), now.getSeconds()];
    const text = time.map((part) => String(part).padStart(2, "0")).join(":");
    explorer.tell_time(performance.now() - start, text, now.getTime() / 1000);
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

  function keep(name, bytes) {
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
      else keep(name, bytes);
    }
  }

  // Lets something happen in the explorer, and shows what became of it.
  function tell(event) {
    clearTimeout(timer);
    tellTime();
    const answer = event();
    takeAll();
    draw();
    if (explorer.has_quit()) {
      say("The explorer was left. Load this page again to begin anew.");
      return answer;
    }
    const next = explorer.next_change();
    if (next !== undefined) {
      timer = setTimeout(() => tell(() => undefined), Math.max(0, next - (performance.now() - start)));
    }
    return answer;
  }

  // Returns the dropped files, each with the names of its folders.
  async function filesOf(entry) {
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
      return [[entry.fullPath.replace(/^\//, ""), file]];
    }
    const reader = entry.createReader();
    const files = [];
    for (;;) {
      const entries = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
      if (entries.length === 0) return files;
      for (const inner of entries) files.push(...await filesOf(inner));
    }
  }

  async function open(files) {
    if (files.length === 0) return;
    say(`Reading ${files.length === 1 ? "1 file" : `${files.length} files`} …`);
    for (const [name, file] of files) {
      explorer.give(name, new Uint8Array(await file.arrayBuffer()), file.lastModified / 1000);
    }
    const reason = tell(() => explorer.open());
    say(reason || "They are read in this page and sent nowhere.");
    screen.focus();
  }

  function onKey(event) {
    if (event.isComposing || event.metaKey || event.target.id === "files") return;
    const isText = event.key.length === 1 || (event.key.length === 2 && event.key.codePointAt(0) > 0xffff);
    if (!isText && !KEYS.has(event.key)) return;
    const letter = event.key.toLowerCase();
    // Copying what is selected and pasting are the browser's.
    const isSelected = !getSelection().isCollapsed;
    if (event.ctrlKey && (letter === "v" || (letter === "c" && isSelected))) return;
    if (event.shiftKey && event.key === "Insert") return;
    const held = event.getModifierState("AltGraph") ? modifiers(event) & 1 : modifiers(event);
    if (tell(() => explorer.key(event.key, held))) event.preventDefault();
  }

  function onClick(event) {
    // Who selects text clicks nothing.
    if (!getSelection().isCollapsed && event.detail < 2) return;
    const { column, row } = place(event);
    if (event.detail === 2) {
      getSelection().removeAllRanges();
      tell(() => explorer.mouse("double", column, row, modifiers(event)));
      return;
    }
    tell(() => {
      explorer.mouse("down", column, row, modifiers(event));
      explorer.mouse("up", column, row, modifiers(event));
    });
  }

  function onWheel(event) {
    if (event.ctrlKey) return;
    event.preventDefault();
    const step = event.deltaMode === 0 ? cell().height * 2 : 1;
    turned += event.deltaY / step;
    const { column, row } = place(event);
    const kind = turned < 0 ? "wheel-up" : "wheel-down";
    const count = Math.min(20, Math.floor(Math.abs(turned)));
    if (count === 0) return;
    turned = 0;
    tell(() => {
      for (let turn = 0; turn < count; turn += 1) explorer.mouse(kind, column, row, modifiers(event));
    });
  }

  async function onDrop(event) {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const entries = [];
    for (const item of event.dataTransfer.items) {
      const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
      if (entry) entries.push(entry);
    }
    const files = [];
    for (const entry of entries) files.push(...await filesOf(entry));
    await open(files);
  }

  function onDrag(event) {
    event.preventDefault();
    document.body.classList.toggle("dropping", event.type === "dragover");
  }

  await wasm_bindgen({ module_or_path: await moduleBytes() });
  const { columns, lines } = room();
  explorer = new wasm_bindgen.PageExplorer(columns, lines);
  tell(() => explorer.open_example(location.hash.slice(1)));
  document.addEventListener("keydown", onKey);
  document.addEventListener("paste", (event) => {
    event.preventDefault();
    const text = event.clipboardData.getData("text/plain");
    if (text) tell(() => explorer.paste(text));
  });
  screen.addEventListener("click", onClick);
  screen.addEventListener("wheel", onWheel, { passive: false });
  document.addEventListener("dragover", onDrag);
  document.addEventListener("dragleave", onDrag);
  document.addEventListener("drop", onDrop);
  document.getElementById("files").addEventListener("change", (event) => {
    open([...event.target.files].map((file) => [file.name, file]));
    event.target.value = "";
  });
  addEventListener("resize", () => {
    const size = room();
    tell(() => explorer.resize(size.columns, size.lines));
  });
  screen.focus();
})();
