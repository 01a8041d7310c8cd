"use strict";
// The figure: draws the recorded poses, seen in parallel projection, with the outlines and tones of the other pictures.
(() => {
  const data = JSON.parse(document.getElementById("motion").textContent);
  const byId = (id) => document.getElementById(id);
  const stage = byId("stage"), marks = byId("marks"), scrub = byId("scrub"), play = byId("play"), told = byId("told");
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const places = new Int16Array(bytes(data.places)), turns = new Int8Array(bytes(data.turns));
  const roots = new Float32Array(bytes(data.roots)), wanted = new Float32Array(bytes(data.wanted));
  const contacts = new Uint8Array(bytes(data.contacts));
  const hills = data.heights && new Int16Array(bytes(data.heights.values));
  const last = data.frames - 1, joints = data.joints;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let colours = {};
  let time = 0, playing = false, before = 0, yaw = 0.6, pitch = 0.25, zoom = 1, visible = true, asked = false;
  const speed = () => Number(byId("speed").value);

  // Colours of the style, so that the figure follows light and dark.
  const readColours = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["left", "right", "middle", "grid", "grid2", "faint", "jump", "command", "line"]) {
      colours[name] = style.getPropertyValue("--" + name).trim();
    }
    colours.parts = [colours.left, colours.right, colours.middle];
  };
  const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const mix = (a, b, share) => {
    const [x, y] = [rgb(a), rgb(b)];
    return "#" + x.map((v, i) => Math.round(v + (y[i] - v) * share).toString(16).padStart(2, "0")).join("");
  };

  // The pose at a time between two frames: joints in the world, and the root.
  const at = new Float64Array(3 * joints), turn = new Float64Array(4 * joints);
  const root = { x: 0, y: 0, z: 0, yaw: 0 };
  const pose = (t) => {
    const f = Math.min(Math.max(t * data.rate, 0), last), a = Math.floor(f), b = Math.min(a + 1, last), s = f - a;
    const lerp = (array, width, i) => array[a * width + i] + (array[b * width + i] - array[a * width + i]) * s;
    root.x = lerp(roots, 4, 0); root.y = lerp(roots, 4, 1); root.z = lerp(roots, 4, 2);
    const [from, to] = [roots[a * 4 + 3], roots[b * 4 + 3]];
    root.yaw = from + s * Math.atan2(Math.sin(to - from), Math.cos(to - from));
    for (let j = 0; j < joints; j++) {
      at[3 * j] = root.x + lerp(places, 3 * joints, 3 * j) / data.per_m;
      at[3 * j + 1] = root.y + lerp(places, 3 * joints, 3 * j + 1) / data.per_m;
      at[3 * j + 2] = root.z + lerp(places, 3 * joints, 3 * j + 2) / data.per_m;
      // The shorter way between two rotations.
      let dot = 0;
      const q = [0, 1, 2, 3].map((i) => turns[(a * joints + j) * 4 + i]), r = [0, 1, 2, 3].map((i) => turns[(b * joints + j) * 4 + i]);
      for (let i = 0; i < 4; i++) dot += q[i] * r[i];
      let length = 0;
      for (let i = 0; i < 4; i++) {
        const v = q[i] + ((dot < 0 ? -r[i] : r[i]) - q[i]) * s;
        turn[4 * j + i] = v;
        length += v * v;
      }
      length = Math.sqrt(length) || 1;
      for (let i = 0; i < 4; i++) turn[4 * j + i] /= length;
    }
    return Math.round(f);
  };

  // A ball of the body in the world: [joint, x, y, z, radius, rises to the ground].
  const ball = ([j, x, y, z, r, rises]) => {
    const [a, b, c, w] = [turn[4 * j], turn[4 * j + 1], turn[4 * j + 2], turn[4 * j + 3]];
    const [tx, ty, tz] = [2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)];
    const p = [at[3 * j] + x + w * tx + b * tz - c * ty, at[3 * j + 1] + y + w * ty + c * tx - a * tz, at[3 * j + 2] + z + w * tz + a * ty - b * tx];
    const floor = data.ground + r;
    if (rises && data.level && p[1] < floor && at[3 * j + 1] >= data.ground) p[1] = floor;
    return p;
  };

  // The ground under a point: known heights, or the plane at the height of the root.
  const groundAt = (x, z, plane) => {
    if (!hills) return plane;
    const h = data.heights, rows = hills.length / h.columns;
    const c = Math.min(Math.max(Math.round((x - h.x) / h.step), 0), h.columns - 1), r = Math.min(Math.max(Math.round((z - h.z) / h.step), 0), rows - 1);
    return hills[r * h.columns + c] / h.per_m;
  };

  const hull = (points) => {
    points.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const around = [];
    for (const side of [points, points.slice().reverse()]) {
      const start = around.length;
      for (const p of side) {
        while (around.length >= start + 2) {
          const [o, q] = [around[around.length - 2], around[around.length - 1]];
          if ((q[0] - o[0]) * (p[1] - o[1]) - (q[1] - o[1]) * (p[0] - o[0]) > 0) break;
          around.pop();
        }
        around.push(p);
      }
      around.pop();
    }
    return around;
  };
  const RING = Array.from({ length: 18 }, (_, k) => [Math.cos((k * Math.PI) / 9), Math.sin((k * Math.PI) / 9)]);

  const draw = () => {
    asked = false;
    const width = stage.clientWidth, height = stage.clientHeight, dense = devicePixelRatio || 1;
    if (!width || !height) return;
    if (stage.width !== Math.round(width * dense) || stage.height !== Math.round(height * dense)) {
      stage.width = Math.round(width * dense);
      stage.height = Math.round(height * dense);
    }
    const g = stage.getContext("2d");
    g.setTransform(dense, 0, 0, dense, 0, 0);
    g.clearRect(0, 0, width, height);
    g.lineJoin = g.lineCap = "round";
    const frame = pose(time);
    const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
    const right = [cy, 0, -sy], up = [-sp * sy, cp, -sp * cy], toward = [sy * cp, sp, cy * cp];
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const floor = root.y + data.ground, scale = (zoom * height * 0.62) / data.height;
    const middle = [root.x, floor + 0.46 * data.height, root.z];
    const place = (p) => {
      const d = [p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]];
      return [width / 2 + dot(right, d) * scale, height / 2 - dot(up, d) * scale];
    };
    const line = (points, colour, thick) => {
      g.strokeStyle = colour;
      g.lineWidth = thick;
      g.beginPath();
      points.forEach((p, i) => (i ? g.lineTo(p[0], p[1]) : g.moveTo(p[0], p[1])));
      g.stroke();
    };

    // The ground: lines fixed in the world, every half metre; farther apart where they would be too near.
    let step = 0.5;
    while (step * scale < 14) step *= 10;
    const reach = Math.ceil((0.75 * Math.hypot(width, height / Math.max(sp, 0.2))) / scale / step), ends = reach * step;
    const [x0, z0] = [Math.round(root.x / step), Math.round(root.z / step)];
    // Slopes and steps need more than two points.
    const along = (at) => {
      const points = [], pieces = hills ? Math.min(Math.ceil((2 * ends) / data.heights.step), 240) : 1;
      for (let i = 0; i <= pieces; i++) {
        const [x, z] = at(-ends + (2 * ends * i) / pieces);
        points.push(place([x, groundAt(x, z, floor), z]));
      }
      return points;
    };
    for (let k = -reach; k <= reach; k++) {
      const [x, z] = [(x0 + k) * step, (z0 + k) * step];
      line(along((t) => [x, root.z + t]), (x0 + k) % 2 ? colours.grid : colours.grid2, 1);
      line(along((t) => [root.x + t, z]), (z0 + k) % 2 ? colours.grid : colours.grid2, 1);
    }

    // Paths: as commanded, pale and thick; as walked.
    const near = Math.round(8 * data.rate), each = Math.max(1, Math.round(data.rate / 15));
    const [first, end] = [Math.max(0, frame - near), Math.min(last, frame + near)];
    const way = (point) => {
      const points = [];
      for (let f = first; f <= end; f += each) points.push(place(point(f)));
      return points;
    };
    line(way((f) => [wanted[2 * f], groundAt(wanted[2 * f], wanted[2 * f + 1], roots[4 * f + 1] + data.ground), wanted[2 * f + 1]]), colours.command, 5);
    line(way((f) => [roots[4 * f], groundAt(roots[4 * f], roots[4 * f + 2], roots[4 * f + 1] + data.ground), roots[4 * f + 2]]), colours.faint, 1.3);

    // Feet on the ground.
    data.soles.forEach((sole, slot) => {
      if (!contacts[frame * data.slots + slot]) return;
      const j = sole.joint, y = data.level ? floor : at[3 * j + 1] - sole.stand;
      const [x, v] = place([at[3 * j], y, at[3 * j + 2]]), r = sole.length * 1.15 * scale;
      g.beginPath();
      g.ellipse(x, v, r, Math.max(r * Math.abs(sp), 1.5), 0, 0, 2 * Math.PI);
      g.globalAlpha = 0.45;
      g.fillStyle = colours.parts[sole.half];
      g.fill();
      g.globalAlpha = 1;
    });

    // The body, far parts first; the side that faces away is darker.
    const left = Math.cos(root.yaw) * toward[0] - Math.sin(root.yaw) * toward[2];
    const away = [left < -0.3, left > 0.3, false];
    const body = data.parts_of_body.map((part) => {
      const groups = part.groups.map((group) => group.map((b) => {
        const p = ball(b);
        return { at: place(p), r: b[4] * scale, depth: dot(toward, p) };
      }));
      const balls = groups.flat();
      return { part, groups, depth: balls.reduce((sum, b) => sum + b.depth, 0) / balls.length + part.nearer };
    });
    body.sort((a, b) => a.depth - b.depth);
    for (const { part, groups } of body) {
      let colour = colours.parts[part.half];
      if (toward[1] < 0.9 && away[part.half]) colour = mix(colour, "#20242c", 0.26);
      const around = (balls, size, shift) => hull(balls.flatMap((b) => RING.map(([c, s]) => [b.at[0] + b.r * (c * size - shift), b.at[1] + b.r * (s * size - shift)])));
      const fill = (points, tone) => {
        g.fillStyle = tone;
        g.beginPath();
        points.forEach((p, i) => (i ? g.lineTo(p[0], p[1]) : g.moveTo(p[0], p[1])));
        g.closePath();
        g.fill();
      };
      const dark = mix(colour, "#14181f", 0.22), outline = mix(colour, "#14181f", 0.72);
      const whole = groups.map((balls) => around(balls, 1, 0));
      for (const points of whole) {
        fill(points, dark);
        line(points.concat([points[0]]), outline, groups.length > 1 ? 2.6 : 1.3);
      }
      if (groups.length > 1) whole.forEach((points) => fill(points, dark));
      groups.forEach((balls) => fill(around(balls, 0.8, 0.1), colour));
      groups.forEach((balls) => fill(around(balls, 0.4, 0.28), mix(colour, "#ffffff", 0.32)));
    }
    tell(frame);
  };

  // Words beside the controls.
  const current = (list, frame) => {
    let found = null;
    for (const entry of list) if (entry[0] <= frame) found = entry; else break;
    return found;
  };
  const tell = (frame) => {
    const clip = current(data.playing, frame), part = current(data.parts, frame);
    const jumped = data.transitions.some((t) => t <= frame && frame - t < 0.4 * data.rate);
    const words = (tag, text, name) => {
      const e = document.createElement(tag);
      e.textContent = text;
      if (name) e.className = name;
      return e;
    };
    const shown = [words("b", time.toFixed(2) + " / " + (last / data.rate).toFixed(1) + " s")];
    if (part) shown.push(words("span", "  " + part[1]));
    if (clip) shown.push(words("span", "  " + (jumped ? "\u25b6 " : "") + data.names[clip[1]], jumped ? "jump" : ""));
    told.replaceChildren(...shown);
    told.title = told.textContent;
    stage.dataset.time = time.toFixed(3);
    stage.dataset.frame = frame;
    if (Number(scrub.value) !== frame) scrub.value = frame;
    scrub.setAttribute("aria-valuetext", time.toFixed(1) + " seconds");
  };

  // Transitions and parts above the slider.
  const drawMarks = () => {
    const width = marks.clientWidth, height = marks.clientHeight, dense = devicePixelRatio || 1;
    marks.width = Math.round(width * dense);
    marks.height = Math.round(height * dense);
    const g = marks.getContext("2d");
    g.setTransform(dense, 0, 0, dense, 0, 0);
    g.clearRect(0, 0, width, height);
    // The middle of the thumb of a slider stays half a thumb from its ends.
    const x = (f) => 20 + ((width - 40) * f) / Math.max(last, 1);
    g.fillStyle = colours.line;
    data.parts.forEach((p) => g.fillRect(x(p[0]), 2, 1, height - 2));
    g.fillStyle = colours.jump;
    data.transitions.forEach((f) => g.fillRect(x(f) - 0.5, height - 9, 1.2, 9));
    g.fillStyle = colours.faint;
    g.font = "11px system-ui, sans-serif";
    data.parts.forEach((p, i) => {
      const room = x(i + 1 < data.parts.length ? data.parts[i + 1][0] : last) - x(p[0]) - 6;
      if (g.measureText(p[1]).width <= room) g.fillText(p[1], x(p[0]) + 4, 10);
    });
  };

  const redraw = () => {
    if (!asked) requestAnimationFrame(draw);
    asked = true;
  };
  const tick = (now) => {
    if (!playing) return;
    time += (Math.min(Math.max(now - before, 0), 200) / 1000) * speed();
    before = now;
    if (time * data.rate > last) time = 0;
    if (visible) draw();
    requestAnimationFrame(tick);
  };
  const setPlaying = (on) => {
    if (on && !playing) {
      before = performance.now();
      requestAnimationFrame(tick);
    }
    playing = on;
    play.textContent = on ? "Pause" : "Play";
  };
  const seek = (frame) => {
    time = Math.min(Math.max(frame, 0), last) / data.rate;
    redraw();
  };
  // Directions are relative to where the character moves now.
  const views = { side: [-Math.PI / 2, 0.06], front: [0, 0.06], top: [-Math.PI / 2, Math.PI / 2], quarter: [-0.87, 0.31] };
  const look = (name) => {
    pose(time);
    [yaw, pitch] = [root.yaw + views[name][0], views[name][1]];
    zoom = 1;
    redraw();
  };
  const orbit = (dx, dy) => {
    yaw -= dx;
    pitch = Math.min(Math.max(pitch + dy, 0), Math.PI / 2);
    redraw();
  };
  const zoomBy = (factor) => {
    zoom = Math.min(Math.max(zoom * factor, 0.15), 6);
    redraw();
  };

  scrub.max = last;
  scrub.addEventListener("input", () => {
    setPlaying(false);
    seek(Number(scrub.value));
  });
  play.addEventListener("click", () => setPlaying(!playing));
  document.querySelectorAll("[data-view]").forEach((b) => b.addEventListener("click", () => look(b.dataset.view)));
  const held = new Map();
  stage.addEventListener("pointerdown", (e) => {
    held.set(e.pointerId, [e.clientX, e.clientY]);
    stage.setPointerCapture(e.pointerId);
  });
  stage.addEventListener("pointermove", (e) => {
    const old = held.get(e.pointerId);
    if (!old) return;
    const other = [...held].find(([id]) => id !== e.pointerId);
    if (other) {
      const far = ([x, y]) => Math.hypot(x - other[1][0], y - other[1][1]);
      zoomBy(far([e.clientX, e.clientY]) / Math.max(far(old), 1));
    } else {
      orbit((e.clientX - old[0]) * 0.008, (e.clientY - old[1]) * 0.008);
    }
    held.set(e.pointerId, [e.clientX, e.clientY]);
  });
  for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, (e) => held.delete(e.pointerId));
  // A page must scroll past the figure: it zooms only where it is selected.
  stage.addEventListener("wheel", (e) => {
    if (document.activeElement !== stage && !e.ctrlKey) return;
    e.preventDefault();
    zoomBy(Math.exp(-e.deltaY * 0.0015));
  }, { passive: false });
  stage.addEventListener("keydown", (e) => {
    const keys = {
      ArrowLeft: () => orbit(-0.1, 0), ArrowRight: () => orbit(0.1, 0), ArrowUp: () => orbit(0, 0.1), ArrowDown: () => orbit(0, -0.1),
      "+": () => zoomBy(1.15), "=": () => zoomBy(1.15), "-": () => zoomBy(1 / 1.15), " ": () => setPlaying(!playing),
      ",": () => seek(Math.round(time * data.rate) - 1), ".": () => seek(Math.round(time * data.rate) + 1),
      Home: () => seek(0), End: () => seek(last),
    };
    if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    keys[e.key]();
  });
  const refresh = () => {
    readColours();
    drawMarks();
    redraw();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
  new ResizeObserver(refresh).observe(stage);
  new IntersectionObserver((seen) => (visible = seen[seen.length - 1].isIntersecting)).observe(stage);
  readColours();
  // Where something happens: a moment before the character first moves.
  let start = 0;
  while (start < last && Math.hypot(roots[4 * start] - roots[0], roots[4 * start + 2] - roots[2]) < 0.2) start++;
  time = start < last ? Math.max(0, start / data.rate - 0.5) : 0;
  look("quarter");
  if (!still.matches) setPlaying(true);
})();
