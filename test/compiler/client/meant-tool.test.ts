/** Finds the tool that a caller meant among those that a gateway shows. */
import { expect, test } from 'vitest';
import { suggestTools } from '../../../compiler/client/index.ts';

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
])('lintel call suggests for the unknown tool %j the tools %j', (given, meant) => {
  expect(suggestTools(given, TOOLS)).toEqual(meant);
});

test.each<[given: string, names: readonly string[], meant: readonly string[]]>([
  ['search', ['a.search', 'search_b'], ['a.search', 'search_b']],
  ['search', ['github_search_code'], ['github_search_code']],
  ['search', ['github_research'], ['github_research']],
  ['search', ['a_search', 'b_search', 'c_search', 'd_search'], ['a_search', 'b_search', 'c_search']],
  ['listFiles', ['drive_files_list', 'drive_files_get'], ['drive_files_list']],
  ['read-file', ['fs_readFile'], ['fs_readFile']],
  ['read_everything', ['fs_readFile'], []],
])('lintel call suggests for the unknown tool %j among %j the tools %j', (given, names, meant) => {
  expect(suggestTools(given, names)).toEqual(meant);
});
