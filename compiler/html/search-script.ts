/**
 * Hides table rows without the search words. Fades the nodes of a graph, except those with the words, those that lead to them and those to which
 * they lead. Runs in browsers as written here.
 */
export const SEARCH_SCRIPT = `
'use strict';
const search = document.getElementById('search');
const marked = document.getElementById('marked');
const found = document.getElementById('found');
const rows = [...document.querySelectorAll('tbody tr')].map(row => ({ row, text: row.textContent.toLowerCase() }));
const parts = document.querySelectorAll('section, article');
const graphs = [...document.querySelectorAll('svg')].map(svg => ({
  nodes: [...svg.querySelectorAll('g[data-node]')].map(node => ({ node, id: node.dataset.node, text: node.textContent.toLowerCase() })),
  edges: [...svg.querySelectorAll('path[data-from]')],
}));

function show() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const has = text => words.every(word => text.includes(word));
  const isAll = words.length === 0 && !marked.checked;
  let count = 0;
  for (const { row, text } of rows) {
    const isShown = has(text) && (!marked.checked || row.classList.contains('mark'));
    row.hidden = !isShown;
    if (isShown) count++;
  }
  for (const part of parts) part.hidden = !isAll && part.querySelector('tbody tr:not([hidden])') === null;
  for (const graph of graphs) fade(graph, has, isAll);
  found.textContent = isAll ? '' : count === 1 ? '1 row' : count + ' rows';
}

function fade({ nodes, edges }, has, isAll) {
  const start = nodes.filter(({ node, text }) => has(text) && (!marked.checked || node.classList.contains('warn')));
  const back = reached(start, edges, 'to', 'from');
  const forth = reached(start, edges, 'from', 'to');
  const isIn = id => isAll || back.has(id) || forth.has(id);
  const isEdgeIn = ({ from, to }) => isAll || (back.has(from) && back.has(to)) || (forth.has(from) && forth.has(to));
  for (const { node, id } of nodes) node.classList.toggle('out', !isIn(id));
  for (const edge of edges) edge.classList.toggle('out', !isEdgeIn(edge.dataset));
}

function reached(start, edges, here, there) {
  const ids = new Set(start.map(({ id }) => id));
  for (const id of ids) for (const { dataset } of edges) if (dataset[here] === id) ids.add(dataset[there]);
  return ids;
}

search.addEventListener('input', show);
marked.addEventListener('change', show);
search.form.addEventListener('submit', event => event.preventDefault());
show();
`;
