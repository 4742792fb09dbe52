import { expect, test } from 'vitest';
import type { CatalogItem } from '#schemas';
import { findOvershadowedTools, type ToolDefinition } from '#shared/search';
import { corpusTools } from '../../../bench/retrieval/corpus.ts';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const OPTIMIZER = '{ optimizer: {} }';
const said = (names: string, first: string) =>
  expect.stringMatching(
    new RegExp(`^LNT3029 hint \\d+:\\d+ every search for the words of ${names} finds ${first} first`),
  );

/** The configuration of a gateway whose `find_tool` searches only by meaning, and not by keywords. */
const BY_MEANING = '{ optimizer: { embeddingService: "http://e:8080", hybridSearchSemanticRatio: "1.0" } }';
const BY_BOTH = BY_MEANING.replace('1.0', '0.9');
const SAME: readonly CatalogItem[] = [{ name: 'get_article' }, { name: 'article_get' }];

test.each<[what: string, config: string, tools: readonly CatalogItem[], expected: readonly unknown[]]>([
  ['no tools', OPTIMIZER, [], []],
  ['tools with different words', OPTIMIZER, [{ name: 'get_article' }, { name: 'list_articles' }], []],
  [
    'tools with the same words in another order and form',
    OPTIMIZER,
    [
      { name: 'get_article', description: 'Reads an article.' },
      { name: 'article_get', description: 'Article, read.' },
      { name: 'search', description: 'Searches articles.' },
    ],
    [said('"a_get_article"', '"a_article_get"')],
  ],
  [
    'several tools behind one tool',
    OPTIMIZER,
    [{ name: 'get_article' }, { name: 'article_get' }, { name: 'article' }],
    [said('"a_article_get" and "a_get_article"', '"a_article"')],
  ],
  [
    'a tool whose words another tool has more often',
    OPTIMIZER,
    [{ name: 'article_shop' }, { name: 'shop_article', title: 'Shop article', description: 'Prints it.' }],
    [said('"a_article_shop"', '"a_shop_article"')],
  ],
  [
    'a tool whose words another tool has among many others',
    OPTIMIZER,
    [
      { name: 'article' },
      { name: 'search', description: 'Searches orders, customers, and each article that they bought.' },
    ],
    [],
  ],
  [
    'tools that differ in parameter names',
    OPTIMIZER,
    [
      { name: 'get_article', inputSchema: { type: 'object', properties: { number: { type: 'integer' } } } },
      { name: 'article_get', inputSchema: { type: 'object', properties: { slug: { type: 'string' } } } },
    ],
    [],
  ],
  ['search by meaning and words', BY_BOTH, SAME, [said('"a_get_article"', '"a_article_get"')]],
  ['search by meaning only', BY_MEANING, SAME, []],
  [
    'tools that differ in their titles',
    OPTIMIZER,
    [{ name: 'get_article' }, { name: 'article_get', title: 'For printing' }],
    [],
  ],
  ['a gateway without the optimizer', '{}', [{ name: 'get_article' }, { name: 'article_get' }], []],
  [
    'a hidden tool with the same words',
    '{ optimizer: {}, aggregation: { tools: [{ workload: a, filter: [get_article] }] } }',
    [{ name: 'get_article' }, { name: 'article_get' }],
    [],
  ],
])('the rule alikeTools gives the expected findings for: %s', (_, config, tools, expected) => {
  expect(judge('alikeTools', [gatewayConfig(config), entries('a')], { [formatBackendKey('a')]: { tools } })).toEqual(
    expected,
  );
});

/** 1,200 tools of 47 current servers. */
test('the rule alikeTools gives 11 hints for a corpus with the tools of real servers', () => {
  const hints = (tools: readonly ToolDefinition[]) =>
    [...findOvershadowedTools(tools)].map(([at, first]) => `${tools[at]?.name} behind ${tools[first]?.name}`);
  const tools = corpusTools();
  // The other tool has each of its words, more often.
  const shadowed = 'mongodb_aggregate behind mongodb_aggregate-db';
  expect(hints(tools)).toEqual([shadowed]);
  const ofServers = [...Map.groupBy(tools, ({ name }) => name.split('_')[0]).values()].flatMap(hints);
  // This server lists each of ten tools under two names.
  expect(ofServers.filter(hint => !/^wikipedia_(wikipedia_\w+) behind \1$/.test(hint))).toEqual([shadowed]);
  expect(ofServers.length).toBe(11);
});
