/* Joins within stream processors: for each a chart, ratios, and times. */
function enrichment() {
  const section = element('enrichment');
  if (!results.enrichment.length) section.remove();
  results.enrichment.forEach((each, i) => {
    add(section, 'h3', each.title + ', ' + power(each.records) + ' records, ' + grouped(each.events) + ' events');
    each.leftOut.forEach((line) => add(section, 'p', 'Left out: ' + line + '.'));
    enrichmentCharts(section, each, 'enrichment-' + i);
    enrichmentTable(section, each, 'times that of ' + each.reference, (join, what) =>
      (what in join.ratios ? join.ratios[what].toFixed(2) + '×' : ''), (join) => Object.keys(join.ratios));
    enrichmentTable(section, each, 'medians', (join, what) =>
      (join.measures[what] ? digits(join.measures[what].median) : ''), (join) => Object.keys(join.measures));
  });
}

function digits(value) {
  return grouped(value, Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3);
}

function isOwn(each, join) {
  return join.name === each.reference || /bsdb|Snapshot/.test(join.name);
}

/* A bar for each join: of what is compared, or of the first measure. */
function enrichmentCharts(section, each, id) {
  const compared = [...new Set(each.joins.flatMap((join) => Object.keys(join.ratios)))];
  const measures = compared.length ? compared : Object.keys(each.joins[0].measures).slice(0, 1);
  const pair = add(section, 'div', undefined, measures.length > 1 ? 'pair' : '');
  measures.forEach((what, j) => {
    const place = add(pair, 'div', undefined, 'chart low');
    place.id = id + '-' + j;
    const items = each.joins.filter((join) => join.measures[what]).map((join) => ({
      name: join.name, value: join.measures[what].median, colour: shades[isOwn(each, join) ? 'bsdb' : 'other'][0] }));
    chart(place.id, bars(items, what, 2));
  });
}

function enrichmentTable(section, each, title, text, columnsOf) {
  const columns = [...new Set(each.joins.flatMap(columnsOf))];
  if (!columns.length) return;
  const table = add(add(section, 'div', undefined, 'scroll'), 'table');
  const head = add(table, 'tr');
  [title, ...columns].forEach((name) => add(head, 'th', name));
  for (const join of each.joins) {
    const row = add(table, 'tr', undefined, isOwn(each, join) ? 'own' : '');
    add(row, 'td', join.name);
    columns.forEach((what) => add(row, 'td', text(join, what)));
  }
}
