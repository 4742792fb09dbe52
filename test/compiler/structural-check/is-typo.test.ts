import { expect, test } from 'vitest';
import { isTypo } from '#compiler';

test.each([
  ['git_serch', 'git_search'],
  ['git_searhc', 'git_search'],
  ['git_searcch', 'git_search'],
  ['git_seerch', 'git_search'],
  ['gti_search', 'git_search'],
  ['gitSearch', 'git_search'],
  ['Git-Search', 'git_search'],
  ['contractor', 'cnotractor'],
])('%s counts as a typo of %s', (written, meant) => {
  expect([isTypo(written, meant), isTypo(meant, written)]).toEqual([true, true]);
});

test.each([
  ['git_search', 'git_search'],
  ['ledger_get', 'ledger_set'],
  ['git_close', 'git_clone'],
  ['user_list', 'users_list'],
  ['read_v1', 'read_v2'],
  ['read_v1', 'read_v11'],
  ['lock', 'block'],
  ['lock', 'unlock'],
  ['pay', 'play'],
  ['deploy_wipe', 'deploy_history'],
  ['git_serch', 'gti_search'],
  ['git_search', 'git_search_all'],
  ['', 'a'],
])('%s does not count as a typo of %s', (a, b) => {
  expect([isTypo(a, b), isTypo(b, a)]).toEqual([false, false]);
});
