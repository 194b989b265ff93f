'use strict';
const results = JSON.parse(document.getElementById('results').textContent);
const style = getComputedStyle(document.documentElement);
const ink = style.getPropertyValue('--ink').trim();
const soft = style.getPropertyValue('--soft').trim();
const rule = style.getPropertyValue('--line').trim();
const own = (name) => /^bsdb|Snapshot/.test(name);

/* One hue for each kind of store, one shade for each store of the kind. */
const shades = {
  bsdb: ['#1766c2', '#3f93ea', '#0f9aa8', '#4fc3c9', '#7a6ff0', '#a79bff'],
  sparkey: ['#e07b17', '#f0a44d', '#b85c00'],
  rocksdb: ['#2f9e44', '#69c37a', '#1b6e2e'],
  lmdb: ['#b5379b'],
  fio: ['#c0891c'],
  other: ['#8a94a3', '#616b7a', '#b9c0ca'],
};
const colours = {};
const used = {};
for (const { name } of results.sections.flatMap((section) => section.rows)) {
  if (name in colours) continue;
  const kind = Object.keys(shades).find((prefix) => name.startsWith(prefix)) || (own(name) ? 'bsdb' : 'other');
  used[kind] = (used[kind] || 0) + 1;
  colours[name] = shades[kind][(used[kind] - 1) % shades[kind].length];
}

const median = (row, measure) => (row && row.measures[measure] ? row.measures[measure].median : NaN);
const grouped = (value, digits = 0) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
/* Three digits. */
const short = (value) => {
  const size = Math.abs(value);
  return Number.isFinite(value) ? grouped(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 4) : '';
};
const ofKind = (kind) => results.sections.filter((section) => section.kind === kind);
const largest = (kind) => ofKind(kind).sort((a, b) => b.records - a.records)[0];
const element = (id) => document.getElementById(id);
function add(parent, tag, text, className) {
  const child = parent.appendChild(document.createElement(tag));
  if (text !== undefined) child.textContent = text;
  if (className) child.className = className;
  return child;
}

function chart(place, option) {
  const drawn = echarts.init(place);
  const axis = { axisLine: { lineStyle: { color: soft } }, axisLabel: { color: soft }, nameTextStyle: { color: soft },
    splitLine: { lineStyle: { color: rule } }, nameLocation: 'middle' };
  const merge = (given, gap) => ({ nameGap: gap, ...axis, ...given, axisLabel: { ...axis.axisLabel, ...given.axisLabel } });
  drawn.setOption({
    animation: false,
    textStyle: { fontFamily: 'inherit', color: ink },
    ...option,
    legend: option.legend ? { bottom: 0, textStyle: { color: ink }, itemGap: 14 } : undefined,
    xAxis: merge(option.xAxis, 30),
    yAxis: merge(option.yAxis, 56),
  });
  window.addEventListener('resize', () => drawn.resize());
}

/* A chart with a section of its own, or none of both. */
function chartOrNothing(id, option) {
  if (option) chart(element(id), option);
  else element(id).closest('section').remove();
}

const logarithmic = { type: 'log', axisLabel: { formatter: (y) => grouped(y) },
  min: (range) => 10 ** Math.floor(Math.log10(range.min)), max: (range) => 10 ** Math.ceil(Math.log10(range.max)) };

/* Lines over named steps, one for each row that has two of them. */
function lines(rows, steps, name) {
  const drawn = rows.filter((row) => steps.filter((step) => Number.isFinite(median(row, step))).length > 1);
  return drawn.length < 1 ? undefined : {
    grid: { left: 72, right: 24, top: 24, bottom: 112 },
    legend: {},
    tooltip: { confine: true, formatter: (at) => at.seriesName + '<br>' + at.name + ': <b>' + short(at.value) + '</b> ns' },
    xAxis: { type: 'category', data: steps, name },
    yAxis: { ...logarithmic, name: 'ns' },
    series: drawn.map((row) => ({ name: row.name, type: 'line', symbolSize: 6, color: colours[row.name],
      data: steps.map((step) => (Number.isFinite(median(row, step)) ? median(row, step) : null)),
      lineStyle: { width: row.name === 'bsdb-blocked' ? 3.5 : 1.8 }, emphasis: { focus: 'series' } })),
  };
}

function growth() {
  const section = ofKind('growth')[0];
  return section && lines(section.rows, Object.keys(section.rows[0].measures), 'records');
}

function latency() {
  const section = largest('latency');
  return section && lines(section.rows, Object.keys(section.rows[0].measures), 'percentile');
}

function size() {
  const lookups = largest('lookups');
  const builds = lookups && ofKind('builds').find((section) => section.records === lookups.records);
  const points = (builds ? builds.rows : [])
    .map((row) => ({ name: row.name, itemStyle: { color: colours[row.name] }, value: [median(row, 'bytes/record'),
      median(lookups.rows.find((other) => other.name === row.name), 'get')] }))
    .filter((point) => Number.isFinite(point.value[1]));
  return !points.length ? undefined : {
    grid: { left: 72, right: 110, top: 24, bottom: 56 },
    tooltip: { confine: true, formatter: (at) => at.name + '<br><b>' + short(at.value[0]) + '</b> bytes per record<br><b>' +
      short(at.value[1]) + '</b> ns per get' },
    xAxis: { type: 'value', name: 'bytes per record on disk', min: 0 },
    yAxis: { ...logarithmic, name: 'ns per get, one thread' },
    series: [{ type: 'scatter', symbolSize: 13, data: points,
      label: { show: true, position: 'right', formatter: '{b}', color: ink, fontSize: 12 }, labelLayout: { moveOverlap: 'shiftY' },
      markLine: { silent: true, symbol: 'none', lineStyle: { color: soft, type: 'dashed' }, data: [{ xAxis: 116 }],
        label: { show: false } } }],
  };
}

/* A bar for each row. */
function bars(section, measure) {
  const rows = section.rows.filter((row) => Number.isFinite(median(row, measure)));
  return {
    title: { text: measure, textStyle: { color: ink, fontSize: 14, fontWeight: 600 } },
    grid: { left: 8, right: 64, top: 36, bottom: 8, containLabel: true },
    xAxis: { type: 'value', splitNumber: 4, axisLabel: { formatter: (x) => grouped(x, Number.isInteger(x) ? 0 : 1) } },
    yAxis: { type: 'category', inverse: true, data: rows.map((row) => row.name), splitLine: { show: false },
      axisTick: { show: false }, axisLabel: { color: ink } },
    series: [{ type: 'bar', barMaxWidth: 20,
      data: rows.map((row) => ({ value: median(row, measure), itemStyle: { color: colours[row.name] } })),
      label: { show: true, position: 'right', color: ink, formatter: (at) => short(at.value) } }],
  };
}

function table(section, title, columns, content, isGood) {
  const made = add(add(section.place, 'div', undefined, 'scroll'), 'table');
  const head = add(made, 'tr');
  [title, ...columns].forEach((name) => add(head, 'th', name));
  for (const row of section.rows) {
    const line = add(made, 'tr', undefined, own(row.name) ? 'own' : '');
    add(line, 'td', row.name);
    for (const column of columns) {
      const value = content(row, column);
      const cell = add(line, 'td', value ? (isGood ? value.toFixed(2) + '×' : short(value)) : '');
      const strength = isGood && value > 0 ? Math.min(0.42, Math.abs(Math.log(value)) * 0.16) : 0;
      if (strength > 0.005) cell.style.background = 'rgba(var(--' + (isGood(value) ? 'good' : 'bad') + '),' + strength + ')';
    }
  }
}

function section(each) {
  const place = add(element('tables'), 'section');
  add(place, 'h2', each.title);
  each.notes.forEach((note) => add(place, 'p', note + '.'));
  if (!each.rows.length) return;
  const pair = add(place, 'div', undefined, 'pair');
  each.compared.slice(0, 2).forEach((measure) => chart(add(pair, 'div', undefined, 'chart'), bars(each, measure)));
  const base = each.rows.find((row) => row.name === each.reference) || each.rows[0];
  /* Green where the reference is better: faster in a unit of time, higher in a rate. */
  const isRate = each.kind === 'disk' || each.kind === 'builds';
  if (each.compared.length) {
    table({ ...each, place }, 'times the figure of ' + base.name, each.compared,
      (row, measure) => median(row, measure) / median(base, measure), (ratio) => (isRate ? ratio < 1 : ratio > 1));
  }
  table({ ...each, place }, 'medians', [...new Set(each.rows.flatMap((row) => Object.keys(row.measures)))], median);
}

function facts(id, entries) {
  for (const [name, value] of entries.filter(([, text]) => text)) {
    add(element(id), 'dt', name);
    add(element(id), 'dd', value);
  }
}

const m = results.machine;
element('summary').textContent = [m.processor + ', ' + m.cores + ' cores, ' + m.java, m.date.slice(0, 10)].join(' · ');
chartOrNothing('size', size());
chartOrNothing('growth', growth());
chartOrNothing('latency', latency());
results.sections.forEach(section);
facts('method', Object.entries(m).concat(Object.entries(results.parameters)));
facts('configuration', [...new Map(results.sections.flatMap((each) => each.rows).reverse().map((row) =>
  [row.name, row.configuration])).entries()].reverse());
