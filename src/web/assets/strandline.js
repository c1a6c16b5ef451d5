// @ts-check
/**
 * Enhancements: zoomable charts, times in the visitor's zone, live updates, keyboard shortcuts. Every link and form works
 * without it.
 */

/** @param {string} name @param {string} value */
const keep = (name, value) => {
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=31536000; samesite=lax`;
};

/**
 * @template {Element} E
 * @param {string} selector @param {ParentNode} [within]
 * @returns {E[]}
 */
const all = (selector, within = document) => /** @type {E[]} */ ([...within.querySelectorAll(selector)]);

/** @param {string} tag @param {Record<string, string>} [attributes] @param {(Node | string)[]} [children] */
const make = (tag, attributes = {}, children = []) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

const body = document.body;

/* ---- updates from the server ---- */

/** Live regions as the server sent them, for comparison: the script changes the DOM. */
/** @type {Map<string, string>} */
const sent = new Map();

/** @param {Element} region */
const keyOf = (region) => region.getAttribute('data-live') ?? '';
/** @param {ParentNode} [within] */
const regionsOf = (within) => all('[data-live]', within);
const remember = () => {
  sent.clear();
  for (const region of regionsOf()) sent.set(keyOf(region), region.outerHTML);
};

/** @param {string} [address] default: of this page @returns {Promise<Document | undefined>} */
const fetchPage = async (address = location.href) => {
  const answer = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => undefined);
  if (answer?.ok !== true) return undefined;
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
};

/** Opened details and scroll positions, restored after a region is replaced. */
/** @param {Element} region */
const stateOf = (region) => ({
  open: all('details', region).map((one) => one.hasAttribute('open')),
  aside: all('.scroll', region).map((one) => one.scrollLeft),
});
/** @param {Element} region @param {ReturnType<typeof stateOf>} state */
const restore = (region, { open, aside }) => {
  for (const [i, one] of all('details', region).entries()) one.toggleAttribute('open', open[i] === true);
  for (const [i, one] of all('.scroll', region).entries()) one.scrollLeft = aside[i] ?? 0;
};

/** Replaces a region. @returns false, without a change, if its height would change */
/** @param {Element} old @param {Element} fresh */
const put = (old, fresh) => {
  const html = fresh.outerHTML;
  const state = stateOf(old);
  const height = old.getBoundingClientRect().height;
  const node = /** @type {Element} */ (document.adoptNode(fresh));
  old.replaceWith(node);
  restore(node, state);
  if (Math.abs(node.getBoundingClientRect().height - height) >= 1) {
    node.replaceWith(old);
    restore(old, state);
    return false;
  }
  for (const chart of all('.chart', old)) forget(chart);
  sent.set(keyOf(node), html);
  enhance(node);
  return true;
};

/** @type {WeakSet<Element>} */
const typedIn = new WeakSet();
document.addEventListener('input', (event) => {
  const form = /** @type {Element} */ (event.target).closest('form');
  if (form !== null) typedIn.add(form);
});
/** Forms with input of a person. */
/** @param {ParentNode} [within] */
const typedForms = (within = document) => all('form', within).filter((one) => typedIn.has(one));

/** @param {Element} form @param {ParentNode} page @returns {Element | undefined} the same form in a page that was fetched */
const sameForm = (form, page) => {
  const action = `main form[action="${CSS.escape(form.getAttribute('action') ?? '')}"]`;
  return all(action, page)[all(action).indexOf(form)];
};

/**
 * Replaces the page, except forms with input. @returns false, without a change, if the new page lacks one of those
 * forms
 */
/** @param {Document} page */
const putPage = (page) => {
  const kept = all('main').flatMap((main) =>
    typedForms(main).map((form) => ({ form, fresh: sameForm(form, page) })),
  );
  if (kept.some(({ fresh }) => fresh === undefined)) return false;
  const states = new Map(regionsOf().map((region) => [keyOf(region), stateOf(region)]));
  for (const chart of Array.from(plots.keys())) forget(chart);
  for (const name of ['main', 'footer']) {
    const fresh = page.querySelector(name);
    if (fresh === null) continue;
    document.querySelector(name)?.replaceWith(document.adoptNode(fresh));
  }
  remember();
  for (const region of regionsOf()) {
    const state = states.get(keyOf(region));
    if (state !== undefined) restore(region, state);
  }
  for (const part of all('main, footer')) enhance(part);
  for (const { form, fresh } of kept) fresh?.replaceWith(form);
  return true;
};

/** Whether a person is using it: focus, input, a zoomed or hovered chart, selected text. */
/** @param {Element} region */
const isUsed = (region) => {
  const marked = getSelection();
  return (
    region.contains(document.activeElement) ||
    typedForms(region).length > 0 ||
    region.querySelector('.chart:hover, [data-zoomed]') !== null ||
    (marked !== null && !marked.isCollapsed && marked.containsNode(region, true))
  );
};

/** @param {string | undefined} html */
const withoutTimes = (html) => html?.replaceAll(/(<time\b[^>]*>)[^<]*/g, '$1');

/**
 * Applies changes that do not move the layout. Regions whose height changes, and new list entries, wait for a click.
 */
const refresh = async () => {
  const page = await fetchPage();
  const main = document.querySelector('main');
  if (page === undefined || main === null) return;
  // Of a topic that was renamed.
  if (page.body.dataset['events'] !== undefined) body.dataset['events'] = page.body.dataset['events'];
  // An empty page is replaced as a whole: there is no reading position to lose.
  if (main.querySelector('[data-held] .empty') !== null && !isUsed(main)) {
    if (putPage(page)) settle();
    else announce();
    return;
  }
  const fresh = new Map(regionsOf(page).map((region) => [keyOf(region), region]));
  let waits = [...fresh.keys()].join() !== [...sent.keys()].join();
  for (const old of regionsOf()) {
    const next = fresh.get(keyOf(old));
    const before = sent.get(keyOf(old));
    if (next === undefined || next.outerHTML === before) continue;
    if (old.hasAttribute('data-held') && withoutTimes(next.outerHTML) !== withoutTimes(before)) waits = true;
    else if (!isUsed(old) && !put(old, next)) waits = true;
  }
  if (waits) announce();
  else settle();
};

/* ---- parts of a page that its address chooses ---- */

/** Shows another view of this page where a person is, with its own address. */
/** @param {string} href */
const go = async (href) => {
  const url = new URL(href, location.href).href;
  const page = await fetchPage(url);
  if (page === undefined) return location.assign(url);
  history.pushState(null, '', url);
  showView(page, href);
};

/** @param {Document} page @param {string} [href] of the link that led here, which keeps the focus */
const showView = (page, href) => {
  if (!putPage(page)) return location.reload();
  settle();
  const link =
    href === undefined
      ? undefined
      : all('main a').find((one) => one.getAttribute('href') === href && one.closest('svg') === null);
  /** @type {HTMLElement | undefined} */ (link)?.focus({ preventScroll: true });
};

const goBack = async () => {
  const page = await fetchPage();
  if (page === undefined) location.reload();
  else showView(page);
};
addEventListener('popstate', () => void goBack());

document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = /** @type {Element} */ (event.target).closest('[data-in-place] a');
  const href = link?.getAttribute('href');
  if (href == null) return;
  event.preventDefault();
  void go(href);
});

/* ---- first minutes ---- */

/** While a topic's sources are asked, its page is small, and is fetched often. */
const PENDING_MS = 500;
const followFirstRuns = async () => {
  if (document.querySelector('main [data-pending]') === null) return;
  await new Promise((done) => setTimeout(done, PENDING_MS));
  const page = document.hidden ? undefined : await fetchPage();
  if (page !== undefined && putPage(page)) settle();
  void followFirstRuns();
};

/* ---- zone ---- */

const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
/** The first page is in UTC; it is replaced once the time zone is known. */
const settleZone = async () => {
  if (zone === undefined || zone === body.dataset['zone']) return;
  keep('zone', zone);
  if (!document.cookie.includes('zone=')) return;
  const page = await fetchPage();
  const isFilling = body.contains(document.activeElement?.closest('form') ?? null) || typedForms().length > 0;
  if (page === undefined || isFilling) return;
  body.dataset['zone'] = zone;
  putPage(page);
};

/* ---- theme ---- */

const dark = matchMedia('(prefers-color-scheme: dark)');
const switchTheme = () => {
  const now = document.documentElement.dataset['theme'] ?? (dark.matches ? 'dark' : 'light');
  const next = now === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset['theme'] = next;
  keep('theme', next);
  redraw();
};

/* ---- charts ---- */

/** @type {Map<Element, { plot: any, resize: ResizeObserver }>} */
const plots = new Map();

/** @param {Element} chart */
const forget = (chart) => {
  const known = plots.get(chart);
  known?.resize.disconnect();
  known?.plot.destroy();
  plots.delete(chart);
};

/** Times in seconds with their words, and values per series, read from the table below the chart. */
/** @param {HTMLElement} chart */
const numbersOf = (chart) => {
  const rows = all('tbody tr', chart);
  const names = all('thead th.number:not(.expected)', chart).map((one) => one.textContent ?? '');
  const times = rows.map((row) => row.querySelector('time'));
  const at = times.map((time) => Date.parse(time?.dateTime ?? '') / 1_000);
  const words = times.map((time) => time?.textContent ?? '');
  const cells = rows.map((row) => all('td', row).map((cell) => cell.querySelector('data')));
  const values = names.map((_, i) => cells.map((row) => (row[i] == null ? null : Number(row[i]?.value))));
  /** @param {string} is a class of a value */
  const those = (is) => names.map((_, i) => cells.map((row) => row[i]?.classList.contains(is) === true));
  const [least, pale] = [those('least'), those('pale')];
  /** @param {string | undefined} written values of all buckets, of which the table has the newest */
  const besides = (written) =>
    written
      ?.split(',')
      .slice(-at.length)
      .map((one) => (one === '' ? null : Number(one)));
  const { expected, spread, earlier } = chart.dataset;
  const expectedName = chart.querySelector('th.expected')?.textContent ?? '';
  return {
    names,
    at,
    words,
    values,
    least,
    pale,
    expectedName,
    expected: besides(expected),
    spread: besides(spread),
    earlier: besides(earlier),
    earlierName: chart.querySelector('th.expected:last-child')?.textContent ?? '',
  };
};

/** @param {number} value */
const shown = (value) => value.toLocaleString('en', { maximumFractionDigits: 1 });

/**
 * Labels of a zoomed time axis. Their words are those of the table: the server knows the zone, and which dates need a year.
 * @param {{ at: number[], words: string[], seconds: number, pixels: number }} chart what is visible: times in seconds, `Sat, 21 Nov, 14:00`
 *   or for days `Sat, 21 Nov`; the length of a bucket; pixels per second
 * @returns {{ at: number, words: string }[]}
 */
const labelTimes = ({ at, words, seconds, pixels }) => {
  const rows = at.flatMap((time, i) => {
    const [, day = '', clock = ''] = (words[i] ?? '').split(', ');
    const [hour = 0, minute = 0] = clock.split(/[: ]/).map(Number);
    return [{ at: time, day, clock, minutes: hour * 60 + minute }];
  });
  const room = Math.max(...rows.map(({ day }) => day.length)) > 7 ? 100 : 70;
  if (seconds === 0) {
    let last = -Infinity;
    return rows.flatMap((row, i) => {
      if ((row.at - last) * pixels < room + 30) return [];
      last = row.at;
      return [{ at: row.at, words: row.day === rows[i - 1]?.day ? row.clock : `${row.day}, ${row.clock}` }];
    });
  }
  if (seconds >= 86_400) {
    const step = [1, 2, 7, 14, 28, 91, 182].find((days) => days * 86_400 * pixels >= room) ?? 364;
    // Weeks begin on Mondays: the fifth day of 1970 was one.
    const isLabeled = (/** @type {number} */ time) => (time / 86_400 - (step < 7 ? 0 : 4)) % step === 0;
    return rows
      .filter((row) => isLabeled(row.at))
      .map((row) => ({ at: row.at + seconds / 2, words: row.day }));
  }
  const each = seconds / 60;
  const step =
    [15, 30, 60, 120, 180, 360, 720].find((one) => one >= each && one * 60 * pixels >= room) ?? 1_440;
  // In some zones, hours begin at 45 minutes past.
  return rows
    .filter(({ minutes }) => minutes % step < each)
    .map((row) => ({ at: row.at, words: row.minutes < each ? row.day : row.clock }));
};

/** Whole axis steps: counts have no fractions. */
const WHOLE = Array.from({ length: 13 }, (_, i) => [1, 2, 5].map((one) => one * 10 ** i)).flat();

// Registered, so that the script reads the color of the theme and not `light-dark(…)`.
const COLORS = 'sea sea-thin c2 c3 c4 c5 c6 gap coral coral-thin soft hair edge ink';
for (const name of COLORS.split(' '))
  CSS.registerProperty({ name: `--${name}`, syntax: '<color>', inherits: true, initialValue: '#000' });

/** @param {HTMLElement} chart */
const draw = (chart) => {
  const Plot = /** @type {any} */ (globalThis).uPlot;
  const room = /** @type {HTMLElement | null} */ (chart.querySelector('.plot'));
  if (Plot === undefined || room === null) return;
  forget(chart);
  const {
    names,
    at,
    words,
    values,
    least,
    pale,
    expected = [],
    spread = [],
    earlier = [],
    expectedName,
    earlierName,
  } = numbersOf(chart);
  if (at.length < 2) return;
  const style = getComputedStyle(chart);
  /** @param {string} name */
  const color = (name) => style.getPropertyValue(name).trim();
  const hues = ['--sea', '--c2', '--c3', '--c4', '--c5', '--c6'].map(color);
  const { chart: kind = 'bars', unit = '', one: singular = unit, sign = '' } = chart.dataset;
  const seconds = Number(chart.dataset['seconds']);
  const bars = kind === 'bars' && names.length === 1;
  const shift = seconds / 2;
  const span = [Number(chart.dataset['from']), Number(chart.dataset['until'])];
  const times = at.map((one) => one + shift);
  const marks = all('[data-mark]', chart).map((one) => ({
    kind: one.getAttribute('data-mark'),
    from: Number(one.getAttribute('data-at')),
    until: Number(one.getAttribute('data-until')),
    short: one.getAttribute('data-short') ?? '',
    href: one.getAttribute('data-href'),
  }));
  const [chosenFrom, chosenUntil] = (chart.dataset['chosen'] ?? '').split(',').map(Number);
  const ticks = all('[data-tick]', chart).map((one) => ({
    at: Number(one.getAttribute('data-tick')),
    words: one.getAttribute('data-words') ?? '',
  }));
  const beside = seconds > 0 && seconds < 86_400;
  const ratio = devicePixelRatio;
  /** @param {any} u */
  const under = (u) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    /** @param {number} from @param {number} until @param {string} fill */
    const band = (from, until, fill) => {
      const [a, b] = [u.valToPos(from, 'x', true), u.valToPos(until, 'x', true)];
      ctx.fillStyle = fill;
      ctx.fillRect(a, bbox.top, Math.max(ratio, b - a), bbox.height);
    };
    if (chosenFrom !== undefined && chosenUntil !== undefined)
      band(chosenFrom, chosenUntil, color('--sea-thin'));
    if (seconds > 0) {
      let edge = span[0] ?? 0;
      for (const [i, one] of at.entries()) {
        if (values.every((row) => row[i] === null)) continue;
        if (one - edge > 1) band(edge, one, color('--gap'));
        edge = one + seconds;
      }
      if ((span[1] ?? 0) - edge > 1) band(edge, span[1] ?? 0, color('--gap'));
    }
    for (const mark of marks) if (mark.kind === 'spike') band(mark.from, mark.until, color('--coral-thin'));
    ctx.restore();
  };
  /** @param {any} u */
  const over = (u) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.font = `${11.5 * ratio}px ${style.fontFamily}`;
    for (const mark of marks) {
      const middle = mark.kind === 'spike' ? (mark.from + mark.until) / 2 : mark.from;
      const x = u.valToPos(middle, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.fillStyle = mark.kind === 'spike' ? color('--coral') : color('--soft');
      if (mark.kind === 'spike') {
        ctx.beginPath();
        ctx.arc(x, bbox.top + 4 * ratio, 4 * ratio, 0, 2 * Math.PI);
        ctx.fill();
      } else {
        for (let y = bbox.top; y < bbox.top + bbox.height; y += 5 * ratio)
          ctx.fillRect(x, y, ratio, 2 * ratio);
        ctx.fillText(mark.short, x + 4 * ratio, bbox.top + 10 * ratio);
      }
    }
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.strokeStyle = color('--soft');
    ctx.fillStyle = color('--soft');
    ctx.setLineDash([5 * ratio, 4 * ratio]);
    ctx.beginPath();
    for (const [i, value] of expected.entries()) {
      const time = at[i] ?? 0;
      if (value === null) continue;
      const [a, b] = [u.valToPos(time, 'x', true), u.valToPos(time + seconds, 'x', true)];
      const y = u.valToPos(value, 'y', true);
      // Steps, joined where the bucket before is known too.
      if ((expected[i - 1] ?? null) === null) ctx.moveTo(a, y);
      else ctx.lineTo(a, y);
      ctx.lineTo(b, y);
      const deviation = spread[i] ?? null;
      if (deviation === null) continue;
      const top = u.valToPos(value + deviation, 'y', true);
      ctx.globalAlpha = 0.14;
      ctx.fillRect(a, top, b - a, u.valToPos(Math.max(0, value - deviation), 'y', true) - top);
      ctx.globalAlpha = 1;
    }
    ctx.stroke();
    ctx.strokeStyle = color('--ink');
    ctx.setLineDash([]);
    ctx.beginPath();
    for (const [i, value] of earlier.entries()) {
      if (value === null) continue;
      const [x, y] = [u.valToPos((at[i] ?? 0) + shift, 'x', true), u.valToPos(value, 'y', true)];
      if ((earlier[i - 1] ?? null) === null) ctx.moveTo(x, y);
      else ctx.lineTo(x, y);
    }
    ctx.stroke();
    ctx.restore();
  };
  const readout = make('div', { class: 'readout', hidden: '' });
  const back = make('button', { type: 'button', hidden: '' }, ['Reset zoom']);
  back.addEventListener('click', () => plot.setScale('x', { min: span[0], max: span[1] }));
  const { list, open } = chart.dataset;
  const listLink = /** @type {HTMLAnchorElement} */ (make('a', { hidden: '' }, [`Show these ${unit}`]));
  /** Offers the items of a time range, in whole buckets. */
  /** @param {number} from @param {number} until */
  const offerList = (from, until) => {
    const begin = open ?? (list === undefined ? undefined : `${list}${list.includes('?') ? '&' : '?'}`);
    if (begin === undefined || seconds === 0) return;
    const written = (/** @type {number} */ one) =>
      new Date(one * 1_000).toISOString().replace(/(?::00)?\.000Z$/, 'Z');
    const [a, b] = [Math.floor(from / seconds) * seconds, Math.ceil(until / seconds) * seconds];
    listLink.setAttribute('href', `${begin}from=${written(a)}&to=${written(b)}`);
    listLink.hidden = false;
  };
  /** A window is chosen by dragging over it, instead of zooming. */
  /** @param {any} u */
  const choose = (u) => {
    const { left, width: dragged } = u.select;
    if (open === undefined || dragged < 4) return;
    u.setSelect({ left: 0, width: 0 }, false);
    offerList(u.posToVal(left, 'x'), u.posToVal(left + dragged, 'x'));
    listLink.click();
  };
  /** The spike whose mark is at a place. */
  /** @param {any} u @param {PointerEvent} event */
  const spikeAt = (u, event) => {
    const { left, top } = u.over.getBoundingClientRect();
    if (event.clientY - top > 16) return undefined;
    return marks.find(({ href, from, until }) => {
      if (href === null) return false;
      const [a, b] = [u.valToPos(from, 'x'), u.valToPos(until, 'x')];
      return Math.abs(event.clientX - left - (a + b) / 2) <= Math.max(10, (b - a) / 2);
    });
  };
  /** @param {any} u @param {string} scale */
  const noteZoom = (u, scale) => {
    if (scale !== 'x') return;
    const near = u.scales.x.min > (span[0] ?? 0) || u.scales.x.max < (span[1] ?? 0);
    back.hidden = !near;
    chart.toggleAttribute('data-zoomed', near);
    if (near) offerList(u.scales.x.min, u.scales.x.max);
    else listLink.hidden = true;
  };
  /** @param {any} u */
  const showValues = (u) => {
    const i = u.cursor.idx;
    readout.hidden = i === null || i === undefined;
    if (readout.hidden) return;
    const parts = names.map((name, nth) => {
      const value = values[nth]?.[i] ?? null;
      const count =
        value === null
          ? 'not observed'
          : `${least[nth]?.[i] === true ? '≥ ' : ''}${shown(value)}${sign === '' ? ` ${value === 1 ? singular : unit}` : sign}`;
      return names.length === 1 ? count : `${name} ${count}`;
    });
    const value = expected[i] ?? null;
    if (value !== null) parts.push(`${expectedName} ${shown(value)}`);
    const before = earlier[i] ?? null;
    if (before !== null) parts.push(`${earlierName} ${shown(before)}`);
    readout.textContent = `${words[i]} · ${parts.join(' · ')}`;
  };
  const axis = {
    stroke: color('--soft'),
    // A whole number: uPlot scales only the digits after the point.
    font: `12px ${style.fontFamily}`,
    grid: { stroke: color('--hair'), width: 1 },
    ticks: { stroke: color('--edge'), width: 1, size: 4 },
  };
  const width = Math.max(160, room.clientWidth);
  /** Incomplete values are paler, as in the SVG of the server. */
  /** @param {number} nth */
  const paler = (nth) => {
    const hue = hues[nth % hues.length] ?? '';
    const light = `color-mix(in srgb, ${hue} 45%, transparent)`;
    const fills = pale[nth]?.map((isPale) => (isPale ? light : hue));
    return { fill: { unit: 3, values: () => fills } };
  };
  const plot = new Plot(
    {
      width,
      height: 200,
      // Half of the widest time label: the last one may be centered on the right edge.
      padding: [14, 28, 0, 0],
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: open === undefined },
        points: { show: !bars },
      },
      legend: { show: false },
      scales: {
        x: {
          time: false,
          range: (/** @type {any} */ _u, /** @type {number} */ a, /** @type {number} */ b) => zoomed(a, b),
        },
        y: {
          range: (/** @type {any} */ _u, /** @type {number} */ _least, /** @type {number} */ most) => [
            0,
            Math.min(
              sign === '' ? Infinity : 100,
              Math.max(
                2,
                most * 1.12,
                ...earlier.map((one) => (one ?? 0) * 1.12),
                ...expected.map((one, i) => ((one ?? 0) + (spread[i] ?? 0)) * 1.12),
              ),
            ),
          ],
        },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 26,
          splits: (/** @type {any} */ u) => labels(u).map((label) => label.at),
          values: (/** @type {any} */ u) => labels(u).map((label) => label.words),
          // As on the server: what begins at a tick is named beside it.
          ...(beside ? { align: 1, gap: -11, ticks: { ...axis.ticks, size: 15 } } : {}),
        },
        {
          ...axis,
          ticks: { show: false },
          size: 44,
          gap: 4,
          incrs: WHOLE,
          values: (/** @type {any} */ _u, /** @type {number[]} */ given) =>
            given.map((one) => shown(one) + sign),
        },
      ],
      series: [
        {},
        ...names.map((name, i) => ({
          label: name,
          stroke: hues[i % hues.length],
          width: bars ? 0 : 1.8,
          fill: bars ? hues[i % hues.length] : undefined,
          spanGaps: false,
          points: { show: names.length > 0 && at.length < 40 && !bars },
          paths: bars
            ? Plot.paths.bars({ size: [0.95, Infinity], gap: 1, align: 0, disp: paler(i) })
            : undefined,
        })),
      ],
      hooks: {
        drawClear: [under],
        draw: [over],
        setCursor: [showValues],
        setScale: [noteZoom],
        setSelect: [choose],
      },
    },
    [times, ...values],
    room,
  );
  /** @param {number} a @param {number} b */
  function zoomed(a, b) {
    const whole = a <= (times[0] ?? 0) && b >= (times.at(-1) ?? 0);
    return whole ? span : [a, b];
  }
  /** The labels of the server for all of the time; others for a part of it. */
  /** @param {any} u */
  function labels(u) {
    const { min, max } = u.scales.x;
    const pixels = (u.over.clientWidth || width) / (max - min);
    const isWhole = min <= (span[0] ?? 0) && max >= (span[1] ?? 0);
    const visible = at.flatMap((time, i) => (time >= min && time <= max ? [i] : []));
    const shownLabels = isWhole
      ? ticks
      : labelTimes({
          at: visible.map((i) => at[i] ?? 0),
          words: visible.map((i) => words[i] ?? ''),
          seconds,
          pixels,
        });
    if (!beside) return shownLabels;
    // Two spaces keep the words off the line of the tick. They would be cut off at the end of the axis.
    return shownLabels.map((label) => ({
      at: label.at,
      words: (max - label.at) * pixels + 28 < label.words.length * 7 + 8 ? '' : `\u00a0\u00a0${label.words}`,
    }));
  }
  room.querySelector('.drawn')?.setAttribute('hidden', '');
  /** @type {any} */ (room.querySelector('.drawn')).style.display = 'none';
  room.append(readout);
  // Below the chart, where they cover none of its bars.
  const zoom = make('div', { class: 'zoom', ...(open === undefined ? {} : { 'data-in-place': '' }) }, [
    back,
    listLink,
  ]);
  chart.querySelector('details.numbers')?.before(zoom);
  let pressedAt = 0;
  plot.over.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => {
    pressedAt = event.clientX;
  });
  // A click on a bar opens its items; a finger gets a link to them beside the values.
  plot.over.addEventListener('click', (/** @type {PointerEvent} */ event) => {
    const start = at[plot.cursor.idx ?? -1];
    if (start === undefined || Math.abs(event.clientX - pressedAt) > 3) return;
    const spike = spikeAt(plot, event);
    if (spike?.href != null) return void go(spike.href);
    offerList(start, start + seconds);
    if (event.pointerType === 'mouse' && !listLink.hidden) listLink.click();
  });
  const resize = new ResizeObserver(() => {
    if (Math.abs(room.clientWidth - plot.width) > 1) plot.setSize({ width: room.clientWidth, height: 200 });
  });
  resize.observe(room);
  plots.set(chart, { plot, resize });
};

const redraw = () => {
  // A copy: `draw` changes the map.
  for (const chart of Array.from(plots.keys())) {
    for (const one of all('.readout, .zoom', chart)) one.remove();
    draw(/** @type {HTMLElement} */ (chart));
  }
};
dark.addEventListener('change', redraw);

/* ---- live events ---- */

/** Discoveries since the page was shown. */
let waiting = 0;
let due = 0;
/** Time of the last fetch for events. */
let fetched = -Infinity;
/** Coalesces bursts of events; under a steady stream, fetches every five seconds. */
const soon = () => {
  if (due !== 0 || document.hidden) return;
  const ms = Math.max(400, fetched + 5_000 - performance.now());
  due = window.setTimeout(() => {
    due = 0;
    fetched = performance.now();
    void refresh();
  }, ms);
};

/** Created before any announcement: screen readers announce only what is added to an existing live region. */
const note = make('div', { class: 'news', role: 'status' });
const noteButton = make('button', { type: 'button' });
/** Clears the announcement. */
const settle = () => {
  waiting = 0;
  noteButton.remove();
};
const announce = () => {
  const words = waiting === 0 ? 'Show changes' : `Show ${waiting} new`;
  if (noteButton.textContent !== words) noteButton.textContent = words;
  if (!noteButton.isConnected) note.append(noteButton);
};
const showNew = async () => {
  const page = await fetchPage();
  if (page === undefined) return;
  const before = new Map([...sent].map(([key, html]) => [key, withoutTimes(html)]));
  if (!putPage(page)) return;
  settle();
  const changed = regionsOf().filter((one) => withoutTimes(sent.get(keyOf(one))) !== before.get(keyOf(one)));
  const first = changed.find((one) => one.hasAttribute('data-held')) ?? changed[0];
  const place = /** @type {HTMLElement | null | undefined} */ (first?.querySelector('h2') ?? first);
  if (place == null) return document.querySelector('main')?.focus();
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.scrollIntoView();
};
noteButton.addEventListener('click', () => void showNew());

/** The newest discovery on this page, so that none is missed before the first event. */
let last = body.dataset['seen'] ?? '0';
/** @param {string} kind @param {string} [id] of a discovery */
const hear = (kind, id = '0') => {
  if (kind === 'discovery') {
    if (BigInt(id) <= BigInt(last)) return;
    last = id;
    waiting += 1;
  }
  soon();
};
/** Whether an event of the shared stream is about what this page shows. */
/** @param {{ kind: string, topic?: string, search?: string, first?: boolean }} event */
const isHere = ({ kind, topic, search, first }) => {
  const here = new URL(body.dataset['events'] ?? '', location.href).searchParams;
  if (kind === 'missed') return true;
  if (kind === 'discovery' && here.get('view') === 'topic' && first !== true) return false;
  return (here.get('topic') ?? topic) === topic && (here.get('search') ?? search) === search;
};

/** All tabs share the stream of a worker (`events.js`). @type {SharedWorker | undefined} */
let shared;
/** Browsers without shared workers open a stream for each visible tab. @type {EventSource | undefined} */
let events;
const share = () => {
  const { events: address = '', worker: script = '' } = body.dataset;
  shared = new SharedWorker(script, { name: new URL(address, location.href).pathname });
  shared.port.addEventListener('message', ({ data }) => {
    if (isHere(data)) hear(data.kind, data.id);
  });
  shared.port.start();
  shared.addEventListener('error', () => {
    shared = undefined;
    listenAlone();
  });
};
/** @param {boolean} [isLeaving] */
const tellShared = (isLeaving = false) =>
  shared?.port.postMessage({ seen: last, isVisible: !document.hidden, isLeaving }, []);
const listenAlone = () => {
  const address = body.dataset['events'] ?? '';
  if (document.hidden) {
    events?.close();
    events = undefined;
  } else if (events === undefined) {
    events = new EventSource(`${address}${address.includes('?') ? '&' : '?'}after=${last}`);
    events.addEventListener('discovery', (event) => hear('discovery', event.lastEventId));
    events.addEventListener('run', () => hear('run'));
  }
};
const listen = () => {
  if (body.dataset['events'] === undefined) return;
  if (!note.isConnected) document.querySelector('main')?.before(note);
  if ('SharedWorker' in globalThis && shared === undefined && events === undefined) share();
  if (shared === undefined) listenAlone();
  else tellShared();
};
document.addEventListener('visibilitychange', () => {
  listen();
  if (body.dataset['events'] !== undefined) soon();
});
addEventListener('pagehide', () => tellShared(true));
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) listen();
});

/* ---- form forecasts ---- */

/** @param {HTMLFormElement} form */
const helpForm = (form) => {
  let timer = 0;
  let requestCount = 0;
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(async () => {
      requestCount += 1;
      const mine = requestCount;
      const query = new URLSearchParams();
      for (const [name, value] of new FormData(form))
        if (typeof value === 'string' && name !== 'form_token') query.append(name, value);
      const answer = await fetch(`${form.dataset['help']}?${query}`).catch(() => undefined);
      if (answer?.ok !== true || mine !== requestCount) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      for (const fresh of all('[data-help-for]', page)) {
        const old = form.querySelector(
          `[data-help-for="${CSS.escape(fresh.getAttribute('data-help-for') ?? '')}"]`,
        );
        old?.replaceChildren(...fresh.childNodes);
      }
    }, 250);
  });
};

/* ---- keyboard shortcuts ---- */

const keysHelp = () => {
  const rows = all('[data-key]').map((one) => [`g ${one.getAttribute('data-key')}`, one.textContent ?? '']);
  const list = make('dl', { class: 'keys' });
  for (const [keys = '', words = ''] of [
    ['/', 'Search'],
    ...rows,
    ['n', 'Show new items'],
    ['t', 'Switch theme'],
    ['?', 'Keyboard shortcuts'],
  ])
    list.append(
      make(
        'dt',
        {},
        keys.split(' ').flatMap((key) => [make('kbd', {}, [key]), ' ']),
      ),
      make('dd', {}, [words]),
    );
  const close = make('button', { class: 'plain', autofocus: '' }, ['Close']);
  const dialog = /** @type {HTMLDialogElement} */ (
    make('dialog', { 'aria-label': 'Keyboard shortcuts' }, [
      make('h2', {}, ['Keyboard shortcuts']),
      list,
      make('form', { method: 'dialog' }, [close]),
    ])
  );
  dialog.addEventListener('close', () => dialog.remove());
  body.append(dialog);
  dialog.showModal();
};

let going = 0;
document.addEventListener('keydown', (event) => {
  const target = /** @type {Element | null} */ (event.target);
  if (event.key === 'Escape')
    for (const menu of all('details.menu[open]')) {
      if (menu.contains(target)) /** @type {HTMLElement | null} */ (menu.querySelector('summary'))?.focus();
      menu.removeAttribute('open');
    }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target?.closest('input, textarea, select, dialog') != null) return;
  if (Date.now() - going < 1_200) {
    going = 0;
    const place = all('[data-key]').find((one) => one.getAttribute('data-key') === event.key);
    if (place instanceof HTMLAnchorElement) location.assign(place.href);
    return;
  }
  if (event.key === 'g') going = Date.now();
  else if (event.key === 'n') {
    if (noteButton.isConnected) noteButton.click();
  } else if (event.key === 't') switchTheme();
  else if (event.key === '?') keysHelp();
  else if (event.key === '/') {
    event.preventDefault();
    /** @type {HTMLElement | null} */ (document.querySelector('[data-find]'))?.focus();
  }
});

/** Roving tabindex: a row of links, or the buttons of a list, are one tab stop; arrow keys move within it. */
/** @param {HTMLElement} strip */
const rove = (strip) => {
  const ofButtons = strip.dataset['roving'] === 'buttons';
  /** @type {HTMLElement[]} */
  const links = all(ofButtons ? 'li button' : 'li:not([hidden]) a', strip);
  const first = ofButtons ? 0 : links.length - 1;
  for (const [i, link] of links.entries()) link.tabIndex = i === first ? 0 : -1;
  strip.addEventListener('keydown', (event) => {
    const here = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const back = { ArrowLeft: -1, ArrowUp: ofButtons ? -1 : undefined };
    const on = { ArrowRight: 1, ArrowDown: ofButtons ? 1 : undefined };
    const step = { ...back, ...on, Home: -here, End: links.length - 1 - here }[event.key];
    if (here < 0 || step === undefined) return;
    event.preventDefault();
    const next = links[Math.min(Math.max(here + step, 0), links.length - 1)];
    if (next === undefined) return;
    for (const link of links) link.tabIndex = link === next ? 0 : -1;
    next.focus();
  });
};

/** No more boxes can be ticked than are allowed. */
/** @param {HTMLElement} boxes */
const limitBoxes = (boxes) => {
  const most = Number(boxes.dataset['most']);
  const inputs = /** @type {HTMLInputElement[]} */ (all('input', boxes));
  const limit = () => {
    const isFull = inputs.filter((one) => one.checked).length >= most;
    for (const one of inputs) one.disabled = isFull && !one.checked;
  };
  boxes.addEventListener('change', limit);
  limit();
};

/** @param {ParentNode} within */
function enhance(within) {
  for (const chart of all('.chart', within)) draw(/** @type {HTMLElement} */ (chart));
  for (const strip of all('[data-roving]', within)) rove(/** @type {HTMLElement} */ (strip));
  for (const boxes of all('.boxes[data-most]', within)) limitBoxes(/** @type {HTMLElement} */ (boxes));
  for (const form of all('form[data-help]', within)) helpForm(/** @type {HTMLFormElement} */ (form));
  for (const button of all('[data-theme-switch], [data-keys-help]', within)) {
    button.removeAttribute('hidden');
    button.addEventListener('click', button.hasAttribute('data-theme-switch') ? switchTheme : keysHelp);
  }
}

document.addEventListener('click', (event) => {
  for (const menu of all('details.menu[open]'))
    if (!menu.contains(/** @type {Node} */ (event.target))) menu.removeAttribute('open');
});

remember();
enhance(document);
listen();
// Relative times are refreshed without events, too.
setInterval(() => {
  if (body.dataset['events'] !== undefined) soon();
}, 60_000);
void settleZone();
void followFirstRuns();
