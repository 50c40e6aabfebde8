// Runs inside the page under test: measures what a reader would see and leaves it as JSON.
(() => {
  const root = document.documentElement;
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  const svgs = [...document.querySelectorAll("figure .plot svg")];
  const visible = svgs.filter((svg) => svg.getBoundingClientRect().width > 0);
  const drawn = (element) => {
    const ink = (element.getAttribute("fill") || "") + (element.getAttribute("stroke") || "");
    return /var\(--(series|ramp|part|heat)/.test(ink);
  };
  // A little less than the box of a text, because boxes include room that has no ink.
  const box = (text) => {
    const r = text.getBoundingClientRect();
    const inset = r.height * 0.15;
    return { left: r.left, right: r.right, top: r.top + inset, bottom: r.bottom - inset };
  };
  const overlaps = (a, b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const figures = visible.map((svg) => {
    const outer = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")];
    const collisions = [];
    const outside = [];
    texts.forEach((text, i) => {
      const a = box(text);
      const said = text.textContent.trim();
      if (a.left < outer.left - 1 || a.right > outer.right + 1 || a.top < outer.top - 1 ||
          a.bottom > outer.bottom + 1) outside.push(said);
      texts.slice(i + 1).forEach((other) => {
        if (overlaps(a, box(other))) collisions.push(said + " / " + other.textContent.trim());
      });
    });
    const data = [...svg.querySelectorAll("circle, polygon, rect, polyline")].filter(drawn);
    return {
      id: svg.closest("figure").id,
      // A line counts as the points that it joins.
      data: data.reduce((sum, mark) => sum + (mark.points ? mark.points.numberOfItems : 1), 0),
      text_px: Math.min(...texts.map((t) => parseFloat(getComputedStyle(t).fontSize) *
        outer.width / svg.viewBox.baseVal.width)),
      rows: svg.closest("figure").querySelectorAll("tbody tr").length,
      collisions,
      outside,
    };
  });
  const colour = (name) => {
    const span = document.createElement("span");
    span.style.color = `var(${name})`;
    document.body.append(span);
    const rgb = getComputedStyle(span).color.match(/\d+/g).slice(0, 3).map(Number);
    span.remove();
    return rgb;
  };
  const seen = {
    figures,
    figure_count: document.querySelectorAll("figure").length,
    page_px: root.scrollWidth,
    window_px: window.innerWidth,
    ink: colour("--ink"), muted: colour("--muted"), link: colour("--link"),
    chart_text: colour("--chart-text"), surface: colour("--surface"), paper: colour("--paper"),
    circle: (() => {
      const circle = document.querySelector("figure .plot svg circle");
      return circle ? getComputedStyle(circle).fill : null;
    })(),
  };
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(seen);
  window.top.document.body.append(out);
})();
