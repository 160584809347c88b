"use strict";
// Sorts, searches and pages through the rows of the table. Texts become text nodes, never markup.
(() => {
  const PAGE = 100;
  const { columns, rows } = JSON.parse(document.getElementById("data").textContent);
  const body = document.querySelector("#rows tbody");
  const headers = [...document.querySelectorAll("#rows thead th")];
  const search = document.getElementById("search");
  const status = document.getElementById("status");
  const [previous, next] = ["previous", "next"].map((id) => document.getElementById(id));
  const texts = rows.map(([, cells]) =>
    cells.filter((cell) => typeof cell === "string").join("\n").toLowerCase());
  let order = rows.map((_, row) => row);
  let sorted = { column: -1, descending: false };
  let first = 0;

  const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const bytes = (number) => {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let unit = 0;
    while (number >= 1000 && unit < units.length - 1) {
      number /= 1000;
      unit += 1;
    }
    return (unit === 0 ? number : number.toFixed(1)) + " " + units[unit];
  };
  const shown = (kind, cell) => {
    if (cell === null) return "–";
    if (kind === "share") return Math.floor(cell / 10) + "." + (cell % 10) + " %";
    if (kind === "bytes") return bytes(cell);
    return kind === "number" ? grouped(cell) : cell;
  };

  const row = (index) => {
    const [href, cells] = rows[index];
    const line = document.createElement("tr");
    cells.forEach((cell, at) => {
      const { kind } = columns[at];
      const box = document.createElement(at === 0 ? "th" : "td");
      if (at === 0) box.scope = "row";
      box.className = kind === "text" ? "url" : "number";
      const text = document.createTextNode(shown(kind, cell));
      if (at === 0 && href !== null) {
        const link = document.createElement("a");
        link.href = href;
        link.append(text);
        box.append(link);
      } else {
        box.append(text);
      }
      line.append(box);
    });
    return line;
  };

  const show = () => {
    body.replaceChildren(...order.slice(first, first + PAGE).map(row));
    const last = Math.min(first + PAGE, order.length);
    status.textContent = order.length === 0
      ? "No row has this text"
      : `Rows ${grouped(first + 1)} to ${grouped(last)} of ${grouped(order.length)}`;
    previous.disabled = first === 0;
    next.disabled = last === order.length;
  };

  const arrange = () => {
    const wanted = search.value.trim().toLowerCase();
    order = rows.map((_, index) => index).filter((index) => texts[index].includes(wanted));
    const { column, descending } = sorted;
    if (column >= 0) {
      const sign = descending ? -1 : 1;
      order.sort((one, other) => {
        const [a, b] = [rows[one][1][column], rows[other][1][column]];
        if (a === b) return one - other;
        if (a === null) return 1;
        if (b === null) return -1;
        return (a < b ? -1 : 1) * sign;
      });
    }
    first = 0;
    show();
  };

  headers.forEach((header, column) => {
    header.querySelector("button").addEventListener("click", () => {
      const isNumber = columns[column].kind !== "text";
      const descending = sorted.column === column ? !sorted.descending : isNumber;
      sorted = { column, descending };
      headers.forEach((other) => other.removeAttribute("aria-sort"));
      header.setAttribute("aria-sort", descending ? "descending" : "ascending");
      arrange();
    });
  });
  search.addEventListener("input", arrange);
  previous.addEventListener("click", () => { first = Math.max(0, first - PAGE); show(); });
  next.addEventListener("click", () => { first += PAGE; show(); });
  for (const control of document.querySelectorAll("[data-needs-script]")) control.hidden = false;
  show();
})();
