/** The tool that a caller meant, among those that a gateway shows. */
import { expect, test } from 'vitest';
import { meantTool } from '../../../compiler/client/meant-tool.ts';

const TOOLS = ['notes_search', 'notes_read', 'climate_search', 'climate_monthly', 'plain'];

test.each<[given: string, meant: readonly string[]]>([
  ['notes_serach', ['notes_search']],
  ['read', ['notes_read']],
  ['Monthly', ['climate_monthly']],
  ['search', ['notes_search', 'climate_search']],
  ['montly', ['climate_monthly']],
  ['plian', ['plain']],
  ['earch', ['notes_search', 'climate_search']],
  ['ly', []],
  ['', []],
  ['something_else', []],
])('%j', (given, meant) => {
  expect(meantTool(given, TOOLS)).toEqual(meant);
});

test('the name of a server in front, behind, and of too many servers', () => {
  expect(meantTool('search', ['a.search', 'search_b'])).toEqual(['a.search', 'search_b']);
  expect(meantTool('search', ['a_search', 'b_search', 'c_search', 'd_search'])).toEqual([]);
});
