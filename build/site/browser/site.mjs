/** On every page: shows the search, and loads what it needs when a reader is about to use it. */
const input = document.getElementById('search');
const root = document.documentElement.dataset.root;

input.form.hidden = false;
input.form.addEventListener('submit', event => event.preventDefault());
input.addEventListener(
  'focus',
  () => {
    const script = document.createElement('script');
    script.src = `${root}search.js`;
    document.head.append(script);
  },
  { once: true },
);
// The key `/` leads to the search, as on other sites of documentation.
document.addEventListener('keydown', event => {
  const isText = event.target instanceof HTMLInputElement;
  if (event.key !== '/' || isText || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
