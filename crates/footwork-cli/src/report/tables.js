// Tables: click a heading to sort, type to filter.
(() => {
  const value = (row, column) => row.cells[column].textContent;
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        const number = head.classList.contains("n");
        const rows = [...body.rows].sort((a, b) => {
          const [x, y] = [value(a, column), value(b, column)];
          return up * (number ? Number(x) - Number(y) : x.localeCompare(y, undefined, { numeric: true }));
        });
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up > 0 ? "ascending" : "descending");
        body.append(...rows);
      });
    });
  }
  const filter = document.getElementById("filter"), shown = document.getElementById("shown");
  if (!filter) return;
  const rows = [...document.querySelectorAll("table.clips tbody tr")];
  const apply = () => {
    const word = filter.value.toLowerCase();
    let n = 0;
    for (const row of rows) {
      row.hidden = !(value(row, 1) + " " + value(row, 5) + " " + value(row, 6)).toLowerCase().includes(word);
      n += row.hidden ? 0 : 1;
    }
    shown.textContent = n + " of " + rows.length;
  };
  filter.addEventListener("input", apply);
  apply();
})();
