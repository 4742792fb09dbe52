/** The pages of the site: nothing that users look for is missing. */
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CODES } from '#compiler';
import { buildNavigation } from '../../build/site/navigation.ts';
import { ROOT, readSite, renderedPages } from '../../build/site/site.ts';
import { EXPLAINED, EXPLAINED_FILES, findField } from '../../compiler/explain/find-field.ts';
import { getCodePage, getFieldPage } from '../../compiler/explain/site-pages.ts';

const site = readSite(ROOT);
const outputs = [
  ...renderedPages(site).map(({ output }) => output),
  ...site.fields.map(({ output }) => output),
  ...site.sources.texts.values(),
  ...site.sources.folders.values(),
];

test('the documentation site has a page for every Markdown file in docs/, for every finding code, and for every kind with its fields', () => {
  const docs = globSync('docs/**/*.md', { cwd: ROOT }).map(path => path.replace(/md$/, 'html'));
  expect(docs.length).toBeGreaterThan(30);
  const codes = Object.keys(CODES).map(code => getCodePage(code as keyof typeof CODES));
  const kinds = [...EXPLAINED, ...EXPLAINED_FILES].map(getFieldPage);
  expect(outputs).toEqual(expect.arrayContaining([...docs, ...codes, ...kinds]));
  expect(site.fields.length).toBeGreaterThan(1_500);
  const explained = site.fields.filter(({ kind }) => kind !== 'WorkflowTestFile');
  expect(explained.filter(({ path }) => !('location' in findField(path))).map(({ path }) => path)).toEqual([]);
});

test('no two pages of the documentation site have the same address when case is ignored', () => {
  const addresses = outputs.map(output => output.toLowerCase());
  expect(addresses.filter((address, at) => addresses.indexOf(address) < at)).toEqual([]);
});

test('the navigation on every page of the documentation site lists each page in docs/', () => {
  const beside = buildNavigation(site).flatMap(({ links }) => links.map(([output]) => output));
  const docs = globSync('docs/*.md', { cwd: ROOT }).map(path => path.replace(/md$/, 'html'));
  expect(beside).toEqual(expect.arrayContaining(docs));
  expect(outputs.concat('fields/index.html')).toEqual(expect.arrayContaining(beside));
});
