"use strict";
// Sorts tables and trees at a click on a heading, and folds trees. Nothing is hidden from a browser that runs no script.
(() => {
  const SIZES = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 };
  const ORDERS = { none: "up", up: "down", down: "none" };
  const collator = new Intl.Collator("en", { numeric: true });

  // Returns what a cell is sorted by: a number, a text, or null where there is none.
  function keyOf(cell) {
    const value = cell.querySelector(".over, .under, .value") || cell;
    const exact = cell.getAttribute("data-sort");
    const text = exact === null ? value.textContent.trim() : exact;
    if (text === "" || text === "nan") return null;
    if (text === "inf") return Infinity;
    if (text === "-inf") return -Infinity;
    if (exact !== null && /^[0-9A-F]{16}$/.test(text)) return BigInt("0x" + text);
    if (exact !== null || cell.classList.contains("n")) {
      const [, number, size] = /^([-+\d.e]+) ?([kMGTPE]?)/.exec(text.replaceAll(",", "")) || [];
      if (number && !Number.isNaN(Number(number))) return Number(number) * (SIZES[size] || 1);
    }
    return text;
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

  for (const table of document.querySelectorAll("table")) {
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
      [...head.children],
      [...outline.querySelectorAll("ul")],
      (item, column) => item.querySelector(".node").children[column],
      (heading, order) => heading.firstChild.setAttribute("aria-pressed", order !== "none"),
    );
    const tools = document.createElement("div");
    tools.className = "tools";
    for (const [text, isOpen] of [["Unfold all", true], ["Fold all", false]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.addEventListener("click", () => {
        for (const node of outline.querySelectorAll("ul ul details")) node.open = isOpen;
        if (isOpen) outline.querySelector("details").open = true;
      });
      tools.append(button);
    }
    if (outline.querySelector("details")) outline.before(tools);
  }

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
