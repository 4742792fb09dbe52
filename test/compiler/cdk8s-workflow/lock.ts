/** A tool lock similar to GitHub's, and the types generated from it. */
import type { BackendOffering, CatalogItem, CatalogLock } from '#schemas';
import { createLockedEntry, formatTypes, lockText } from '../../../compiler/analysis/catalog/index.ts';
import { ITEM_KINDS } from '../../../compiler/analysis/catalog/item-kinds.ts';
import { lockedBackend } from '../../../compiler/cdk8s/index.ts';
import type { Offers } from '../../support/gateway-rule.ts';

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

const SERVER = {
  ...Object.fromEntries(ITEM_KINDS.map(({ list }) => [list, []])),
  tools: TOOLS,
  protocolVersion: '2025-11-25',
  serverInfo: { name: 'github', version: '1.0.0' },
} as unknown as BackendOffering;

const LOCK: CatalogLock = {
  lockfileVersion: 1,
  backends: {
    [KEY]: createLockedEntry(SERVER, { url: 'https://github.example.com/mcp', transport: 'streamable-http' }).entry,
  },
};

/** `lintel.lock.json` */
export const LOCK_JSON: string = lockText(LOCK);

/** `lintel.lock.ts` */
export const LOCK_TYPES: string = formatTypes(LOCK);

/** The lock's tools in the form in which tests pass them to the compiler. */
export const OFFERS: Offers = { [KEY]: { tools: TOOLS } };

interface Issue {
  readonly title: string;
  readonly number: number;
  readonly 'html-url': string;
  readonly state: 'open' | 'closed';
  readonly body: string | null;
}

/** The backend with the types that `lintel.lock.ts` gives it; a test compares the values. */
export const github = lockedBackend<{
  readonly search: {
    readonly input: {
      readonly query: string;
      readonly page?: number;
      readonly order?: 'asc' | 'desc';
      readonly labels?: readonly string[];
      readonly filter?: { readonly author?: string; readonly open?: boolean };
    };
    readonly output: {
      readonly total: number;
      readonly next?: { readonly page: number };
      readonly items: readonly Issue[];
    };
  };
  readonly create_issue: {
    readonly input: {
      readonly title: string;
      readonly repo?: string;
      readonly count?: number;
      readonly urgent?: boolean;
      readonly labels?: readonly string[];
      readonly parent?: { readonly number: number; readonly title?: string };
    };
    readonly output: { readonly number: number };
  };
  readonly read_file: { readonly input: { readonly path: string }; readonly output: unknown };
}>({
  key: KEY,
  name: 'github',
  toolNames: ['create_issue', 'read_file', 'search'],
  outputs: {
    create_issue: { number: 'number' },
    read_file: { text: 'string' },
    search: {
      items: [{ 'html-url': 'string', number: 'number', state: 'string', title: 'string' }],
      next: { page: 'number' },
      total: 'number',
    },
  },
});
