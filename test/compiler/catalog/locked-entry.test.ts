import { expect, test } from 'vitest';
import type { BackendOffering, CatalogItem } from '#schemas';
import { createLockedEntry, redactUrl } from '../../../compiler/analysis/catalog/index.ts';

function offering(lists: Partial<Record<'tools' | 'prompts' | 'resources' | 'resourceTemplates', unknown>>) {
  const none = { tools: [], prompts: [], resources: [], resourceTemplates: [] };
  const answer = { key: 'k', ok: true, protocolVersion: '2025-06-18', serverInfo: { name: 'n', version: 1 }, ...none };
  return { ...answer, ...lists } as unknown as BackendOffering;
}
const AT = { url: 'https://me:pw@x.example.com:8443/mcp?key=1#top', transport: 'sse' } as const;

/** Lists, the names that the lock keeps, and the findings about the others. */
const ROWS: readonly (readonly [name: string, lists: object, kept: object, remarks: readonly string[]])[] = [
  ['a backend that offers nothing', {}, {}, []],
  [
    'a backend with an item of each kind',
    {
      tools: [{ name: 't' }],
      prompts: [{ name: 'p' }],
      resources: [{ uri: 'r:1', name: 'r' }],
      resourceTemplates: [{ uriTemplate: 'r:{x}', name: 'r' }],
    },
    { tools: ['t'], prompts: ['p'], resources: ['r:1'], resourceTemplates: ['r:{x}'] },
    [],
  ],
  [
    'two prompts of one name',
    {
      prompts: [
        { name: 'p', x: 1 },
        { name: 'p', x: 1 },
      ],
    },
    { prompts: ['p'] },
    ['prompt "p" is listed more than once: only the first is served'],
  ],
  [
    'two resources of one URI',
    {
      resources: [
        { uri: 'r:1', name: 'a' },
        { uri: 'r:1', name: 'b' },
      ],
    },
    { resources: ['r:1'] },
    ['resource "r:1" is listed more than once: only the first is served'],
  ],
  [
    'a gateway that names its unavailable backends',
    { tools: [{ name: 't' }], unavailable: { count: 2, names: ['docs', 'wiki'] } },
    { tools: ['t'] },
    ['backends behind it do not answer it (docs, wiki), so the tool lock lacks what they offer'],
  ],
  [
    'a gateway that only counts its unavailable backends',
    { unavailable: { count: 2, names: [] } },
    {},
    ['backends behind it do not answer it (2), so the tool lock lacks what they offer'],
  ],
  [
    'a resource template without a URI template',
    { resourceTemplates: [{ name: 'x' }] },
    {},
    ['resource template #0 has no uriTemplate'],
  ],
  [
    'half of a surrogate pair',
    { tools: [{ name: 'a', description: '\ud800' }] },
    {},
    ['tool "a" holds text that is no Unicode'],
  ],
  [
    'an infinite number',
    { tools: [{ name: 'a', inputSchema: { maximum: Number.POSITIVE_INFINITY } }] },
    {},
    ['tool "a" holds a number that is too large'],
  ],
];

test.each(ROWS)(
  'lintel lock records what a backend offers, and prints a remark on each fault in it: %s',
  (_, lists, kept, said) => {
    const { entry, remarks } = createLockedEntry(offering(lists), AT);
    const { url, transport, protocolVersion, server, ...items } = entry;
    expect({ url, transport, protocolVersion, server }).toEqual({
      url: 'https://x.example.com:8443/mcp',
      transport: 'sse',
      protocolVersion: '2025-06-18',
      server: { name: 'n', version: '' },
    });
    expect(Object.fromEntries(Object.entries(items).map(([list, map]) => [list, Object.keys(map)]))).toEqual(kept);
    expect(remarks).toEqual(said);
  },
);

test('lintel lock records the first of two resources with the same URI', () => {
  const resources: CatalogItem[] = [
    { uri: 'r:1', name: 'a' },
    { uri: 'r:1', name: 'b' },
  ];
  expect(createLockedEntry(offering({ resources }), AT).entry.resources?.['r:1']?.definition.name).toBe('a');
});

test.each([
  ['http://a', 'http://a/'],
  ['HTTPS://A.example.com:443/x/../y?q', 'https://a.example.com/y'],
  ['no url', ''],
])('lintel lock records the URL %s as %s', (url, shown) => expect(redactUrl(url)).toBe(shown));
