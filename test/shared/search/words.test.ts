import { expect, test } from 'vitest';
import { extractTerms, queryTerms, stemWord } from '#shared/search';

test.each<[text: string, terms: string]>([
  ['search_notes', 'search not'],
  ['search-notes.v2', 'search not v 2'],
  ['listOpenIssues', 'list open issu listopenissu'],
  ['GitHub', 'git hub github'],
  ['HTTPServer JSON', 'http server httpserver json'],
  ['I want to list the files of a folder', 'list fil folder'],
  ['GRÖSSE größe', 'grösse größe'],
  ['数据库查询', '数据 据库 库查 查询'],
  ['查 x', '查 x'],
  ['ｆｕｌｌ', 'full'],
  [`a${'b'.repeat(100)}`, ''],
  ['', ''],
])('the search splits the text "%s" into its terms', (text, terms) => expect(extractTerms(text).join(' ')).toBe(terms));

test.each([
  ['issue', 'issues'],
  ['create', 'creates', 'created', 'creating'],
  ['list', 'lists', 'listed', 'listing'],
  ['stop', 'stops', 'stopped', 'stopping'],
  ['query', 'queries'],
  ['policy', 'policies'],
  ['box', 'boxes'],
  ['branch', 'branches'],
  ['address', 'addresses'],
  ['file', 'files'],
])('the search treats %s and its inflections as one term', (word, ...forms) => {
  expect(forms.map(stemWord)).toEqual(forms.map(() => stemWord(word)));
});

test.each([
  ['status', 'state'],
  ['message', 'messenger'],
  ['user', 'use'],
  ['thing', 'the'],
  ['string', 'str'],
  ['process', 'proc'],
])('the search treats %s and %s as different terms', (a, b) => expect(stemWord(a)).not.toBe(stemWord(b)));

test.each<[what: string, description: string, keywords: string[] | undefined, terms: string]>([
  ['its keywords', 'send a mail', ['weather'], 'weather'],
  ['the words of keywords with several words', '', ['weather forecast', 'city'], 'weather forecast citi'],
  ['each keyword once', '', ['city', 'Cities', 'CITY'], 'citi'],
  ['its description if it has no keywords', 'send a mail', undefined, 'send mail'],
  ['its description if its keywords have no terms', 'send a mail', ['the', 'tool'], 'send mail'],
  ['no terms if it has none', 'the tool', [], ''],
])('a search query consists of %s', (_, description, keywords, terms) => {
  expect(queryTerms({ description, keywords }).join(' ')).toBe(terms);
});

test('a search query uses only the beginning of a very long description or keyword list', () => {
  const long = ' '.repeat(40_000);
  expect(queryTerms({ description: `city${long}weather` })).toEqual(['citi']);
  expect(queryTerms({ description: '', keywords: [`city${long}`, 'weather'] })).toEqual(['citi']);
});
