'use strict';
const results = JSON.parse(document.getElementById('results').textContent);
const nothing = { records: 0, peers: [], leftOut: [], turns: '' };
const largest = results.sizes.reduce((a, b) => (b.records > a.records ? b : a), nothing);
const peers = largest.peers;
/* Those of other sizes too, which may have been left out at the largest. */
const everywhere = [...new Map(results.sizes.flatMap((size) => size.peers).concat(peers).map((peer) => [peer.name, peer])).values()];
const reference = peers.find((peer) => peer.name === 'bsdb-blocked') || peers[0];
const style = getComputedStyle(document.documentElement);
const ink = style.getPropertyValue('--ink').trim();
const soft = style.getPropertyValue('--soft').trim();
const rule = style.getPropertyValue('--line').trim();
const own = (name) => name.startsWith('bsdb');

/* One hue for each kind of store, one shade for each store of the kind. */
const shades = {
  bsdb: ['#1766c2', '#3f93ea', '#0f9aa8', '#4fc3c9', '#7a6ff0', '#a79bff'],
  sparkey: ['#e07b17', '#f0a44d', '#b85c00'],
  rocksdb: ['#2f9e44', '#69c37a', '#1b6e2e'],
  lmdb: ['#b5379b'],
  sqlite: ['#8f6b1f'],
  mvstore: ['#c2403a'],
  other: ['#8a94a3', '#616b7a', '#b9c0ca'],
};
const colours = {};
const used = {};
for (const peer of everywhere) {
  const kind = Object.keys(shades).find((prefix) => peer.name.startsWith(prefix)) || 'other';
  used[kind] = (used[kind] || 0) + 1;
  colours[peer.name] = shades[kind][(used[kind] - 1) % shades[kind].length];
}

const median = (peer, what) => (peer.nanosPerKey[what] ? peer.nanosPerKey[what].median : NaN);
const grouped = (value, digits = 0) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
/* Three digits. */
const short = (value) => grouped(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
const power = (records) => {
  const exponent = Math.log10(records);
  return Number.isInteger(exponent) ? '10' + String(exponent).replace(/\d/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]) : grouped(records);
};
/* The next lower and higher of 1, 2 and 5 times a power of ten. */
const steps = [1, 2, 5, 10];
const below = (value) => {
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * steps.filter((step) => step * unit <= value).pop();
};
const above = (value) => {
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * steps.find((step) => step * unit >= value);
};
const element = (id) => document.getElementById(id);
function add(parent, tag, text, className) {
  const child = parent.appendChild(document.createElement(tag));
  if (text !== undefined) child.textContent = text;
  if (className) child.className = className;
  return child;
}

function chart(id, option) {
  const place = element(id);
  if (!option) {
    place.closest('section').remove();
    return;
  }
  const drawn = echarts.init(place);
  const axis = { axisLine: { lineStyle: { color: soft } }, axisLabel: { color: soft }, nameTextStyle: { color: soft },
    splitLine: { lineStyle: { color: rule } }, nameLocation: 'middle' };
  const merge = (given, gap) => ({ nameGap: gap, ...axis, ...given, axisLabel: { ...axis.axisLabel, ...given.axisLabel } });
  drawn.setOption({
    animation: false,
    textStyle: { fontFamily: 'inherit', color: ink },
    toolbox: { right: 0, top: -6, feature: { saveAsImage: { name: 'bsdb-' + id, title: 'save' } }, iconStyle: { borderColor: soft } },
    ...option,
    legend: option.legend ? { bottom: 0, textStyle: { color: ink }, itemGap: 14, ...option.legend } : undefined,
    xAxis: merge(option.xAxis, 30),
    yAxis: merge(option.yAxis, 56),
  });
  window.addEventListener('resize', () => drawn.resize());
}

const lineOf = (name, data) => ({
  name, data, type: 'line', symbolSize: 6, smooth: false,
  lineStyle: { width: reference && name === reference.name ? 3.5 : 1.8 },
  color: colours[name], z: reference && name === reference.name ? 5 : 2, emphasis: { focus: 'series' },
});
const tooltip = (unit) => ({ trigger: 'item', confine: true,
  formatter: (at) => at.seriesName + '<br>' + at.data.label + ': <b>' + short(at.data.value[1]) + '</b> ' + unit });
const grid = { left: 72, right: 24, top: 24, bottom: 112 };

function summary() {
  const m = results.machine;
  const stores = largest === nothing ? [] : [power(largest.records) + ' records of 16 + 100 bytes'];
  const cached = largest === nothing ? [] : ['page cache ' + largest.pageCache];
  element('summary').textContent =
    [...stores, m.processor + ', ' + m.cores + ' cores, ' + m.java, m.date.slice(0, 10), ...cached].join(' · ');
}

function card(value, text, lost) {
  const box = add(element('headline'), 'div', undefined, 'card' + (lost ? ' lost' : ''));
  add(box, 'b', value);
  add(box, 'span', text);
}

function headline() {
  const others = peers.filter((peer) => !own(peer.name));
  const best = (value, candidates) =>
    candidates.filter((peer) => Number.isFinite(value(peer))).sort((a, b) => value(a) - value(b))[0];
  const comparisons = [['get', 'one get'], ['getAll(64)', 'a key of getAll(64)'], ['get, Zipf', 'a get of Zipf keys'],
    ['get, absent', 'a get of an absent key']];
  for (const [what, text] of comparisons) {
    const rival = best((peer) => median(peer, what), others);
    if (rival && Number.isFinite(median(reference, what))) {
      const ratio = median(rival, what) / median(reference, what);
      card(short(ratio) + '×', 'time that the fastest other store, ' + rival.name + ', takes for ' + text + ' (' +
        short(median(reference, what)) + ' against ' + short(median(rival, what)) + ' ns)', ratio < 1);
    }
  }
  if (reference && reference.build) {
    const rival = best((peer) => peer.build.seconds, others.filter((peer) => peer.build));
    if (rival) {
      const ratio = rival.build.seconds / reference.build.seconds;
      card(short(ratio) + '×', 'time that the fastest other build, ' + rival.name + ', takes', ratio < 1);
    }
    const small = best((peer) => peer.build.bytesPerRecord, peers.filter((peer) => peer.build));
    card(short(small.build.bytesPerRecord) + ' B', 'per record of 116 bytes in the smallest files, ' + small.name,
      !own(small.name));
  }
  if (!element('headline').children.length) element('headline').remove();
}

function measures() {
  const all = new Set();
  peers.forEach((peer) => Object.keys(peer.nanosPerKey).forEach((what) => all.add(what)));
  const threads = [...all].filter((what) => /threads$/.test(what));
  return [...all].filter((what) => !threads.includes(what)).concat(threads);
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const turns = (size) => [size.turns, ...size.leftOut.map((line) => 'left out: ' + line)]
  .filter((text) => text).map((text) => capital(text) + '.').join(' ');

/* What stores that ran one after the other can be compared by. */
function alone() {
  const table = element('alone');
  if (!peers.some((peer) => peer.memory)) {
    table.remove();
    return;
  }
  const head = add(table, 'tr');
  ['measured alone', 'one read of memory, ns', 'many at once, ns', 'get, in reads', 'of ' + reference.name].forEach((text) =>
    add(head, 'th', text));
  const reads = (peer) => (peer.memory ? median(peer, 'get') / peer.memory.dependent.median : NaN);
  for (const peer of peers.filter((each) => each.memory)) {
    const row = add(table, 'tr', undefined, own(peer.name) ? 'own' : '');
    [peer.name, short(peer.memory.dependent.median), short(peer.memory.independent.median), reads(peer).toFixed(2),
      (reads(peer) / reads(reference)).toFixed(2) + '×'].forEach((text) => add(row, 'td', text));
  }
}

function tables() {
  const columns = measures();
  const isBuilt = peers.some((peer) => peer.build);
  if (!columns.length) {
    element('ratios').closest('section').remove();
    element('times').remove();
    if (!isBuilt) element('builds').closest('section').remove();
  } else {
    element('ratio-note').textContent = 'Times the time per key of ' + reference.name + ' at ' + power(largest.records) +
      ' records, medians of the rounds. Above 1 (green) ' + reference.name + ' is faster, below 1 (red) the other store is. ' + turns(largest);
    alone();
    const ratios = element('ratios');
    const times = element('times');
    for (const table of [ratios, times]) {
      const head = add(table, 'tr');
      add(head, 'th', '');
      columns.forEach((what) => add(head, 'th', what));
    }
    for (const peer of peers) {
      const ratioRow = add(ratios, 'tr', undefined, own(peer.name) ? 'own' : '');
      const timeRow = add(times, 'tr', undefined, own(peer.name) ? 'own' : '');
      add(ratioRow, 'td', peer.name);
      add(timeRow, 'td', peer.name);
      for (const what of columns) {
        const ratio = median(peer, what) / median(reference, what);
        const cell = add(ratioRow, 'td', Number.isFinite(ratio) ? ratio.toFixed(2) + '×' : '');
        const strength = Math.min(0.42, Math.abs(Math.log(ratio)) * 0.16);
        if (strength > 0.005) cell.style.background = 'rgba(var(--' + (ratio > 1 ? 'good' : 'bad') + '),' + strength + ')';
        const time = add(timeRow, 'td', Number.isFinite(median(peer, what)) ? short(median(peer, what)) : '');
        if (peer.nanosPerKey[what]) add(time, 'small', ' / ' + short(peer.nanosPerKey[what].best));
      }
    }
    if (largest.memory) {
      const note = add(element('times').parentElement, 'p');
      note.textContent = 'One random read of this memory, through mapped files: ' +
        short(largest.memory.dependent.median) + ' ns one after the other, ' +
        short(largest.memory.independent.median) + ' ns with many at once.';
    }
  }
  if (isBuilt) {
    const builds = element('builds');
    const head = add(builds, 'tr');
    ['build', 'records/s', 'bytes per record', 'peak memory, MiB', 'of it no file’s', 'built'].forEach((text) =>
      add(head, 'th', text));
    for (const peer of peers.filter((each) => each.build)) {
      const row = add(builds, 'tr', undefined, own(peer.name) ? 'own' : '');
      const cost = peer.build;
      [peer.name, grouped(cost.recordsPerSecond), cost.bytesPerRecord.toFixed(1), grouped(cost.peakMemoryBytes / 1048576),
        grouped(cost.peakAnonymousBytes / 1048576), cost.date.replace('T', ' ').replace('Z', '')].forEach((text) =>
        add(row, 'td', text));
    }
  }
}

function latency() {
  const measured = peers.filter((peer) => peer.latencies.length);
  if (!measured.length) return undefined;
  const place = (quantile) => 1 / (1 - quantile);
  const labels = { 1.01: '', 2: 'p50', 10: 'p90', 100: 'p99', 1000: 'p99.9', 10000: 'p99.99' };
  return {
    grid, legend: {}, tooltip: tooltip('ns'),
    xAxis: { type: 'log', min: 1, max: 10000, name: 'percentile',
      axisLabel: { formatter: (x) => (x === 1 ? 'min' : labels[Math.round(x)] || '') } },
    yAxis: { type: 'log', name: 'ns', axisLabel: { formatter: (y) => grouped(y) }, min: (range) => below(range.min),
      max: (range) => above(range.max) },
    series: measured.map((peer) => lineOf(peer.name, peer.latencies.map((each) => ({
      value: [place(each.quantile), each.nanos], label: 'p' + +(each.quantile * 100).toFixed(2) })))),
  };
}

function threads() {
  const points = (peer) => Object.keys(peer.nanosPerKey)
    .map((what) => (what === 'get' ? ['1', what] : [(/^get, (\d+) threads$/.exec(what) || [])[1], what]))
    .filter(([count]) => count)
    .sort((a, b) => a[0] - b[0])
    .map(([count, what]) => ({ value: [count, 1000 / median(peer, what)], label: count + ' threads' }));
  const measured = peers.filter((peer) => points(peer).length > 1);
  if (!measured.length) return undefined;
  return {
    grid, legend: {}, tooltip: tooltip('million gets per second'),
    xAxis: { type: 'category', data: points(measured[0]).map((point) => point.value[0]), name: 'threads' },
    yAxis: { type: 'value', name: 'million gets per second' },
    series: measured.map((peer) => lineOf(peer.name, points(peer))),
  };
}

/* Names of points that lie together go to different sides of them. */
function sides(points) {
  const near = (a, b) => Math.abs(a[0] - b[0]) < 12 && Math.abs(Math.log(a[1] / b[1])) < 0.25;
  return points.map((point, i) =>
    ['right', 'left', 'top', 'bottom', 'inside'][Math.min(4, points.slice(0, i).filter((other) => near(point, other)).length)]);
}

function size() {
  const points = peers.filter((peer) => peer.build && Number.isFinite(median(peer, 'get')));
  if (!points.length) return undefined;
  const places = sides(points.map((peer) => [peer.build.bytesPerRecord, median(peer, 'get')]));
  return {
    grid: { left: 72, right: 110, top: 24, bottom: 56 },
    tooltip: { confine: true, formatter: (at) => at.name + '<br><b>' + short(at.value[0]) + '</b> bytes per record<br><b>' +
      short(at.value[1]) + '</b> ns per get' },
    xAxis: { type: 'value', name: 'bytes per record on disk', min: 0 },
    yAxis: { type: 'log', name: 'ns per get, one thread', axisLabel: { formatter: (y) => grouped(y) }, min: (range) => below(range.min),
      max: (range) => above(range.max) },
    series: [{
      type: 'scatter', symbolSize: 13,
      data: points.map((peer, i) => ({ name: peer.name, value: [peer.build.bytesPerRecord, median(peer, 'get')],
        itemStyle: { color: colours[peer.name] }, label: { position: places[i] } })),
      label: { show: true, formatter: '{b}', color: ink, fontSize: 12 },
      markLine: { silent: true, symbol: 'none', lineStyle: { color: soft, type: 'dashed' }, data: [{ xAxis: 116 }],
        label: { show: false } },
    }],
  };
}

function growth() {
  const sizes = [...results.sizes].sort((a, b) => a.records - b.records);
  const points = (peer) => sizes
    .map((each) => ({ each, same: each.peers.find((other) => other.name === peer.name) }))
    .filter(({ same }) => same && Number.isFinite(median(same, 'get')))
    .map(({ each, same }) => ({ value: [each.records, median(same, 'get')], label: power(each.records) + ' records' }));
  const measured = everywhere.filter((peer) => points(peer).length > 1);
  if (!measured.length) return undefined;
  return {
    grid, legend: {}, tooltip: tooltip('ns'),
    xAxis: { type: 'log', name: 'records', min: sizes[0].records, max: sizes[sizes.length - 1].records,
      axisLabel: { formatter: power } },
    yAxis: { type: 'log', name: 'ns per get, one thread', axisLabel: { formatter: (y) => grouped(y) }, min: (range) => below(range.min),
      max: (range) => above(range.max) },
    series: measured.map((peer) => lineOf(peer.name, points(peer))),
  };
}

function bars(items, title, digits) {
  if (!items.length) return undefined;
  return {
    title: { text: title, textStyle: { color: ink, fontSize: 14, fontWeight: 600 } },
    grid: { left: 8, right: 64, top: 36, bottom: 8, containLabel: true },
    xAxis: { type: 'value', splitNumber: 4, axisLabel: { formatter: (x) => grouped(x, Number.isInteger(x) ? 0 : 1) } },
    yAxis: { type: 'category', inverse: true, data: items.map((item) => item.name), splitLine: { show: false },
      axisTick: { show: false }, axisLabel: { color: ink } },
    series: [{ type: 'bar', barMaxWidth: 20,
      data: items.map((item) => ({ value: item.value, itemStyle: { color: item.colour, borderRadius: [0, 3, 3, 0] } })),
      label: { show: true, position: 'right', color: ink, formatter: (at) => grouped(at.value, digits) } }],
  };
}

function builds() {
  const seen = new Set();
  const built = peers.filter((peer) => peer.build && !seen.has(peer.build.date + peer.build.seconds) &&
    seen.add(peer.build.date + peer.build.seconds));
  const items = (value) => built.map((peer) => ({ name: peer.name, value: value(peer.build), colour: colours[peer.name] }));
  chart('build-rate', bars(items((cost) => cost.recordsPerSecond / 1e6), 'million records per second', 2));
  if (built.length) {
    chart('build-memory', bars(items((cost) => cost.peakMemoryBytes / 1048576), 'peak memory, MiB, mapped files included', 0));
  }
}

function disk() {
  if (!results.disk.length) return undefined;
  const colour = (name) => (name.startsWith('fio') ? '#c0891c' : colours[name.split(' ')[0]] || shades.other[0]);
  const ratio = (each) => (Number.isFinite(each.ofFio) ? ', ' + each.ofFio.toFixed(2) + ' of fio' : '');
  return bars(results.disk.map((each) =>
    ({ name: each.name + ratio(each), value: each.operationsPerSecond, colour: colour(each.name) })), 'per second', 0);
}

function facts(id, entries) {
  for (const [name, value] of entries) {
    add(element(id), 'dt', name);
    add(element(id), 'dd', value);
  }
}

summary();
headline();
tables();
chart('latency', latency());
chart('threads', threads());
chart('size', size());
chart('growth', growth());
builds();
chart('disk', disk());
enrichment();
facts('method', Object.entries(results.machine).concat(Object.entries(results.parameters)).concat(
  results.sizes.filter((size) => turns(size)).map((size) => [power(size.records) + ' records', turns(size)])));
facts('configuration', everywhere.map((peer) => [peer.name, peer.configuration]).concat(
  results.enrichment.flatMap((each) => each.joins.map((join) => [each.title + ': ' + join.name, join.configuration]))));
