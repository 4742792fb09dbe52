import { expect, test } from 'vitest';
import type { CatalogItem } from '#schemas';
import { alikeTools } from '../../../../compiler/rules/gateway/alike-tools.ts';
import { entries, judge, keyOf } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const OPTIMIZER = '{ optimizer: {} }';
const said = (names: string) =>
  expect.stringMatching(
    new RegExp(`^LNT3029 hint \\d+:\\d+ no query finds each of ${names} first: their names, titles`),
  );

test.each<[what: string, config: string, tools: readonly CatalogItem[], expected: readonly unknown[]]>([
  ['none', OPTIMIZER, [], []],
  ['different words', OPTIMIZER, [{ name: 'get_article' }, { name: 'list_articles' }], []],
  [
    'the same words in another order and form',
    OPTIMIZER,
    [
      { name: 'get_article', description: 'Reads an article.' },
      { name: 'article_get', description: 'Article, read.' },
      { name: 'search', description: 'Searches articles.' },
    ],
    [said('"a_article_get" and "a_get_article"')],
  ],
  [
    'words of a title tell them apart',
    OPTIMIZER,
    [{ name: 'get_article' }, { name: 'article_get', title: 'For printing' }],
    [],
  ],
  ['without the optimizer', '{}', [{ name: 'get_article' }, { name: 'article_get' }], []],
  [
    'hidden ones are not found',
    '{ optimizer: {}, aggregation: { tools: [{ workload: a, filter: [get_article] }] } }',
    [{ name: 'get_article' }, { name: 'article_get' }],
    [],
  ],
])('%s', (_, config, tools, expected) => {
  expect(judge(alikeTools, [gatewayConfig(config), entries('a')], { [keyOf('a')]: { tools } })).toEqual(expected);
});
