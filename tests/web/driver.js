// Plays recordings in the module of a page without a browser: a list of them comes in as JSON, and what the screen shows
// after each word goes out. The first argument is the folder of the module.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

// The module asks for a turn between two slices of work; without a browser nobody waits.
globalThis.pause = () => {};
const folder = process.argv[2];
const script = fs.readFileSync(path.join(folder, "fairscope.js"), "utf8");
vm.runInThisContext(`${script}\nglobalThis.wasm_bindgen = wasm_bindgen;`);
wasm_bindgen.initSync({ module: fs.readFileSync(path.join(folder, "fairscope_bg.wasm")) });

// Returns the characters of a frame, which the page draws run by run.
function charactersOf(frame) {
  const rows = frame.split("\n").map((row) => row.split("\u001e").map((run) => run.split("\u001f")[4]).join(""));
  return rows.map((row) => row.trimEnd()).join("\n");
}

function play({ example, files, open, width, height, words }) {
  const explorer = new wasm_bindgen.PageExplorer(width, height, undefined);
  explorer.tell_time(0, "12:00:00", 1767268800);
  for (const file of files) explorer.hold(file, fs.readFileSync(file), fs.statSync(file).mtimeMs / 1000);
  const refused = example ? explorer.open_example(example) : explorer.open_site(JSON.stringify({ open }));
  const frames = [explorer.text()];
  for (const word of words) {
    const reason = explorer.play(word);
    const text = explorer.text();
    const drawn = charactersOf(explorer.frame());
    const isDrawn = drawn.trimEnd() === text.trimEnd();
    frames.push(reason ?? (isDrawn ? text : `drawn as\n${drawn}`));
  }
  explorer.free();
  return { refused: refused ?? null, frames };
}

const recordings = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(recordings.map(play)));
