/** The tool lock for the examples of codes; where it matters, a comment of the example mentions it. */

import type { Catalog } from '#compiler';
import type { CatalogItem } from '#schemas';
import { createCatalog, formatBackendKey } from './gateway-rule.ts';

const input = (properties: object, ...required: readonly string[]) => ({ type: 'object', properties, required });
const READ_ONLY = { readOnlyHint: true };

const GITHUB: readonly CatalogItem[] = [
  ...['search', 'search_code', 'search_issues', 'get_issue'].map(name => ({
    name,
    inputSchema: input({ query: { type: 'string' } }),
    annotations: READ_ONLY,
  })),
  {
    name: 'list_issues',
    inputSchema: input({ repo: { type: 'string' } }),
    outputSchema: {
      type: 'object',
      properties: { issues: { type: 'array' }, count: { type: 'integer' } },
      additionalProperties: false,
    },
    annotations: READ_ONLY,
  },
  { name: 'comment', inputSchema: input({ issue: { type: 'integer' }, body: { type: 'string' } }, 'body') },
  { name: 'delete_repo', inputSchema: input({ repo: { type: 'string' } }), annotations: { destructiveHint: true } },
];

const MANY: readonly CatalogItem[] = Array.from({ length: 150 }, (_, number) => ({
  name: `tool_${number}`,
  description: 'Does one of very many things. '.repeat(30),
  inputSchema: input({}),
}));

const resources = [{ uri: 'file:///readme', name: 'readme' }];

export const EXAMPLE_CATALOG: Catalog = createCatalog({
  [formatBackendKey('github')]: { tools: GITHUB, resources },
  [formatBackendKey('gitlab')]: { tools: ['search'], resources },
  [formatBackendKey('wiki')]: {
    protocolVersion: '2026-07-28',
    tools: [{ name: 'read', inputSchema: input({}), annotations: READ_ONLY }],
  },
  [formatBackendKey('builds')]: {
    protocolVersion: '2025-11-25',
    tools: [
      { name: 'build', inputSchema: input({}), execution: { taskSupport: 'required' } },
      { name: 'status', inputSchema: input({}), annotations: READ_ONLY },
    ],
  },
  [formatBackendKey('everything')]: { tools: MANY },
  [formatBackendKey('articles')]: {
    tools: ['get_article', 'article_get'].map(name => ({ name, description: 'Read.', inputSchema: input({}) })),
  },
  [formatBackendKey('legacy')]: {
    tools: [
      { name: 'add', inputSchema: input({ n: { type: 'int' } }) },
      { name: 'sum', inputSchema: { type: 'object', anyOf: [input({})] } },
    ],
  },
});
