/** Finds sections of pages, codes and fields by their words, without a server. */
import MiniSearch from 'minisearch';

const MOST_SHOWN = 20;
const SNIPPET = 140;

/** The terms of a word: the whole word and its parts, so that `outgoing` and `auth` find `outgoingAuth`. */
function termsOf(term) {
  const parts = term.split(/(?<=[a-z0-9])(?=[A-Z])/);
  return [...new Set([term, ...parts].map(part => part.toLowerCase()))];
}

/** @param documents see `../search-documents.ts` */
export function createIndex(documents) {
  const index = new MiniSearch({
    idField: 'address',
    fields: ['title', 'page', 'text'],
    processTerm: termsOf,
    searchOptions: {
      processTerm: term => term.toLowerCase(),
      boost: { title: 4, page: 2 },
      boostDocument: (_address, _term, stored) => stored.weight,
      prefix: true,
      // A word with digits is never a misspelling of another: LNT5008 is not LNT5006.
      fuzzy: term => (term.length > 4 && !/\d/.test(term) ? 0.2 : false),
      combineWith: 'AND',
    },
    storeFields: ['title', 'page', 'text', 'weight'],
  });
  index.addAll(documents);
  return index;
}

/** A title that is the whole query comes first. The other results follow by their weight. */
export function find(index, query) {
  const name = query.trim().toLowerCase();
  const found = name === '' ? [] : index.search(query);
  return found.toSorted((one, other) => Number(isNamed(other, name)) - Number(isNamed(one, name)));
}

function isNamed({ title }, name) {
  return title.toLowerCase() === name;
}

/** The part of a text around the first of the words that it contains. */
function snippetOf(text, words) {
  const lower = text.toLowerCase();
  const at = Math.max(0, Math.min(...words.map(word => lower.indexOf(word)).filter(found => found >= 0), text.length));
  const start = at === text.length || at < SNIPPET / 2 ? 0 : text.indexOf(' ', at - SNIPPET / 2) + 1;
  const end = start + SNIPPET >= text.length ? text.length : text.lastIndexOf(' ', start + SNIPPET);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}

/** Shows the results of a search below the search field. */
export function start(documents) {
  const input = document.getElementById('search');
  const count = document.getElementById('count');
  const results = document.getElementById('results');
  const { root } = document.documentElement.dataset;
  const index = createIndex(documents);

  const item = ({ id, title, page, text, terms }) => {
    const link = document.createElement('a');
    link.href = root + id;
    const name = document.createElement('b');
    name.textContent = title;
    link.append(name);
    for (const line of [page, snippetOf(text, terms)].filter(Boolean)) {
      const span = document.createElement('span');
      span.textContent = line;
      link.append(span);
    }
    const entry = document.createElement('li');
    entry.append(link);
    return entry;
  };

  const show = () => {
    const found = find(index, input.value);
    results.replaceChildren(...found.slice(0, MOST_SHOWN).map(item));
    results.hidden = found.length === 0;
    if (input.value.trim() === '') count.textContent = '';
    else if (found.length === 0) count.textContent = 'Nothing found';
    else if (found.length > MOST_SHOWN) count.textContent = `${MOST_SHOWN} of ${found.length} shown`;
    else count.textContent = found.length === 1 ? '1 found' : `${found.length} found`;
  };

  input.addEventListener('input', show);
  // Arrows go through the results, and Escape ends the search.
  input.form.parentElement.addEventListener('keydown', event => {
    const links = [...results.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    if (event.key === 'Escape') {
      input.value = '';
      show();
      input.focus();
    } else if (event.key === 'ArrowDown') (links[at + 1] ?? links.at(-1))?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
    else return;
    event.preventDefault();
  });
  // Shows the results for what a reader typed while this script was loading.
  show();
}
