'use strict';
// Renews the page of live figures, and says when another version is in use. All else works without.
const page = document.body.dataset;

async function renewLive() {
  if (document.hidden) return;
  const answer = await fetch(page.root + 'live', {cache: 'no-store'});
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const figures = fresh.getElementById('live');
  if (figures) document.getElementById('live').replaceWith(figures);
}

async function lookForVersion() {
  if (document.hidden) return;
  const answer = await fetch(page.root + 'v1/tables/' + page.table, {cache: 'no-store'});
  const version = answer.ok ? (await answer.json()).version : page.version;
  if (version === page.version) return;
  const news = document.getElementById('news');
  const reload = document.createElement('a');
  reload.href = location.href;
  reload.textContent = 'Show it';
  news.replaceChildren('Version ' + version + ' is in use now. ', reload);
  news.hidden = false;
}

// A server that does not answer is asked again.
if (page.view === 'Live') setInterval(() => renewLive().catch(() => {}), 2000);
if (page.table) setInterval(() => lookForVersion().catch(() => {}), 2000);
