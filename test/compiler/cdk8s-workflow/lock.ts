/** A tool lock of GitHub's like, and what is generated from it. */
import type { CatalogItem, CatalogLock } from '#schemas';
import { typesText } from '../../../compiler/catalog/types/types-text.ts';
import { catalogOf } from '../../support/gateway-rule.ts';

const text = { type: 'string' };
const number = { type: 'integer' };

export const TOOLS: readonly CatalogItem[] = [
  {
    name: 'search',
    inputSchema: {
      type: 'object',
      properties: {
        query: text,
        page: number,
        order: { enum: ['asc', 'desc'] },
        labels: { type: 'array', items: text },
        filter: {
          type: 'object',
          properties: { author: text, open: { type: 'boolean' } },
          additionalProperties: false,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        total: number,
        next: { type: 'object', properties: { page: number }, required: ['page'] },
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              title: text,
              number,
              'html-url': text,
              state: { enum: ['open', 'closed'] },
              body: { type: ['string', 'null'] },
            },
            required: ['title', 'number', 'html-url', 'state', 'body'],
          },
        },
      },
      required: ['total', 'items'],
    },
  },
  {
    name: 'create_issue',
    inputSchema: {
      type: 'object',
      properties: {
        title: text,
        repo: text,
        count: number,
        urgent: { type: 'boolean' },
        labels: { type: 'array', items: text },
        parent: {
          type: 'object',
          properties: { number, title: text },
          required: ['number'],
          additionalProperties: false,
        },
      },
      required: ['title'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { number }, required: ['number'] },
  },
  { name: 'read_file', inputSchema: { type: 'object', properties: { path: text }, required: ['path'] } },
];

const KEY = 'default/MCPServerEntry/github';

const LOCK: CatalogLock = {
  lockfileVersion: 1,
  backends: {
    [KEY]: {
      url: 'https://github.example.com/mcp',
      transport: 'streamable-http',
      protocolVersion: '2025-11-25',
      server: { name: 'github', version: '1.0.0' },
      tools: Object.fromEntries(TOOLS.map(definition => [definition.name as string, { digest: '', definition }])),
    },
  },
};

/** `lintel.lock.ts` */
export const LOCK_TYPES: string = typesText(LOCK);

/** For the compiler. */
export const CATALOG: ReturnType<typeof catalogOf> = catalogOf({ [KEY]: { tools: TOOLS } });
