"use strict";
// Sorts tables and trees at a click on a heading, folds trees, and copies numbers in full. Nothing is hidden from a browser
// that runs no script.
(() => {
  const SIZES = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 };
  const ORDERS = { none: "up", up: "down", down: "none" };
  const collator = new Intl.Collator("en", { numeric: true });

  // A text that tells one number, maybe rounded.
  const NUMBER = /^[<>≠▲▼+-]* ?[\d.,]+(e[-+]?\d+)?( [kMGTPE])?[%x]?$/;

  const isNumeric = (cell) => cell.matches(".n, i:not([class^='t'], :first-child)");

  // Returns the text of a cell without its label.
  function textOf(cell) {
    const shown = [...cell.childNodes].filter((it) => it.nodeName !== "U");
    return shown.map((it) => it.textContent).join("").trim();
  }

  // Returns what a cell is sorted by: a number, a text, or null where there is none.
  function keyOf(cell) {
    const exact = cell.getAttribute("data-v");
    const text = exact === null ? textOf(cell) : exact;
    if (text === "" || text === "nan") return null;
    if (text === "inf") return Infinity;
    if (text === "-inf") return -Infinity;
    if (exact === null && !isNumeric(cell)) return text;
    if (/^[0-9A-F]{16}$/.test(text)) return BigInt("0x" + text);
    const [, number, size] = /^([-+\d.e]+) ?([kMGTPE]?)/.exec(text.replaceAll(",", "")) || [];
    if (number && !Number.isNaN(Number(number))) return Number(number) * (SIZES[size] || 1);
    return text;
  }

  // Returns what is copied of a cell: its number in full, if it tells one.
  function copied(cell) {
    const text = textOf(cell);
    if (!isNumeric(cell) || !NUMBER.test(text)) return text;
    return cell.getAttribute("data-v") ?? text.replaceAll(",", "");
  }

  function compare(one, other) {
    const isText = [typeof one === "string", typeof other === "string"];
    if (isText[0] && isText[1]) return collator.compare(one, other);
    if (isText[0] !== isText[1]) return isText[0] ? 1 : -1;
    return one < other ? -1 : one > other ? 1 : 0;
  }

  // Sorts elements that have their first place in data; those without a key come last either way.
  function sorted(elements, places, cellOf, order) {
    const rows = elements.map((element) => ({
      element,
      place: places.get(element),
      key: order === "none" ? null : keyOf(cellOf(element)),
    }));
    const sign = order === "down" ? -1 : 1;
    rows.sort((a, b) => {
      if (order === "none") return a.place - b.place;
      if (a.key === null || b.key === null) {
        return (a.key === null) - (b.key === null) || a.place - b.place;
      }
      return sign * compare(a.key, b.key) || a.place - b.place;
    });
    return rows.map((row) => row.element);
  }

  // Makes headings buttons; a click goes from the order of the report to up, down and back.
  function prepare(headings, lists, cellOf, tell) {
    const places = new Map();
    for (const list of lists) [...list.children].forEach((it, place) => places.set(it, place));
    const set = (heading, order) => {
      heading.setAttribute("data-order", order);
      tell(heading, order);
    };
    headings.forEach((heading, column) => {
      if (heading.textContent === "") return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      set(heading, "none");
      button.addEventListener("click", () => {
        const order = ORDERS[heading.getAttribute("data-order")];
        for (const other of headings) if (other.hasAttribute("data-order")) set(other, "none");
        set(heading, order);
        for (const list of lists) {
          list.append(...sorted([...list.children], places, (it) => cellOf(it, column), order));
        }
      });
    });
  }

  // Puts buttons before a table or a tree.
  function addTools(before, actions) {
    const tools = document.createElement("div");
    tools.className = "tools";
    for (const [text, act] of actions) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.addEventListener("click", act);
      tools.append(button);
    }
    before.before(tools);
  }

  // What is selected is copied as below.
  function copyAll(box) {
    getSelection().selectAllChildren(box);
    document.execCommand("copy");
  }

  for (const table of document.querySelectorAll("table")) {
    // A few rows are selected as quickly.
    if (table.rows.length > 5) addTools(table.parentElement, [["Copy", () => copyAll(table)]]);
    const words = { none: "none", up: "ascending", down: "descending" };
    prepare(
      [...table.tHead.rows[0].cells],
      [table.tBodies[0]],
      (row, column) => row.cells[column],
      (heading, order) => heading.setAttribute("aria-sort", words[order]),
    );
  }

  for (const outline of document.querySelectorAll(".outline")) {
    const head = outline.querySelector(".head");
    head.removeAttribute("aria-hidden");
    head.setAttribute("role", "group");
    head.setAttribute("aria-label", "Sort by");
    prepare(
      [...head.firstElementChild.children],
      [...outline.querySelectorAll("ul")],
      (item, column) => item.querySelector("p, summary").children[column],
      (heading, order) => heading.firstChild.setAttribute("aria-pressed", order !== "none"),
    );
    const fold = (isOpen) => () => {
      for (const node of outline.querySelectorAll("ul ul details")) node.open = isOpen;
      if (isOpen) outline.querySelector("details").open = true;
    };
    const folds = [["Unfold all", fold(true)], ["Fold all", fold(false)]];
    const copy = ["Copy", () => copyAll(outline)];
    addTools(outline, outline.querySelector("details") ? [...folds, copy] : [copy]);
  }

  // Says below what scrolls that there is more at its right.
  for (const box of document.querySelectorAll(".scroll, .outline")) {
    const note = document.createElement("p");
    note.className = "note cut";
    note.textContent = "More columns are to the right: scroll the table.";
    box.after(note);
    const look = () => { note.hidden = box.scrollWidth <= box.clientWidth + 1; };
    new ResizeObserver(look).observe(box);
    look();
  }

  // Returns the part of a range in a node.
  function within(range, node) {
    const part = document.createRange();
    part.selectNodeContents(node);
    if (part.compareBoundaryPoints(Range.START_TO_START, range) < 0) {
      part.setStart(range.startContainer, range.startOffset);
    }
    if (part.compareBoundaryPoints(Range.END_TO_END, range) > 0) {
      part.setEnd(range.endContainer, range.endOffset);
    }
    return part.toString();
  }

  // Returns the selected rows of a table or tree, cells by tabs; null if other text is selected too.
  function rowsOf(range) {
    const around = (node) => (node.closest ? node : node.parentElement).closest("table, .outline");
    const box = around(range.startContainer) || around(range.endContainer);
    if (!box) return null;
    const [before, after] = [range.cloneRange(), range.cloneRange()];
    before.setEndBefore(box);
    after.setStartAfter(box);
    if (`${before}${after}`.trim() !== "") return null;
    const rows = [...box.querySelectorAll("tr, p, summary")];
    const isSeen = (row) => range.intersectsNode(row) && !row.closest("details:not([open]) > ul");
    const lines = rows.filter(isSeen).map((row) => {
      const isChosen = (cell) => range.intersectsNode(cell) && (textOf(cell) === "" || within(range, cell) !== "");
      const cells = [...row.children].filter(isChosen);
      return cells.map((cell) => (cell.matches(".n, i + i") ? copied(cell) : within(range, cell).trim()));
    });
    return lines.filter((cells) => cells.join("") !== "").map((cells) => cells.join("\t"));
  }

  // A number is copied as it reads back, not as it is rounded.
  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    const ranges = Array.from({ length: selection.rangeCount }, (_, place) => selection.getRangeAt(place));
    const parts = ranges.map(rowsOf);
    if (parts.includes(null) || parts.flat().length === 0) return;
    event.clipboardData.setData("text/plain", parts.flat().join("\n"));
    event.preventDefault();
  });

  // Paper cannot be unfolded.
  const folded = new Set();
  window.addEventListener("beforeprint", () => {
    for (const node of document.querySelectorAll("details:not([open])")) {
      folded.add(node);
      node.open = true;
    }
  });
  window.addEventListener("afterprint", () => {
    for (const node of folded) node.open = false;
    folded.clear();
  });
})();
