import { describe, expect, test } from 'vitest';
import {
  type AggregationPlan,
  type BackendPlan,
  type BackendToolPlan,
  computeDigest,
  formatCanonicalJson,
} from '#schemas';
import { NOTHING_OFFERED, type OfferedItem, type OfferedItems } from '../../../runtime/gateway/offers/offered-items.ts';
import { type BackendOffer, buildTable } from '../../../runtime/gateway/routing/table.ts';

const inputSchema = { type: 'object' };

const prefix: AggregationPlan = { strategy: 'prefix', priorityOrder: [] };

function offer(
  name: string,
  items: Partial<OfferedItems>,
  options: { tools?: Partial<BackendToolPlan>; available?: boolean; pinned?: BackendPlan['pinned'] } = {},
): BackendOffer {
  const plan: BackendPlan = {
    name,
    url: `http://${name}.test/mcp`,
    transport: 'streamable-http',
    addresses: 'any',
    timeoutMs: 1000,
    auth: { type: 'unauthenticated' },
    headers: [],
    metadata: {},
    tools: { prefix: `${name}_`, advertise: { type: 'all' }, overrides: {}, ...options.tools },
    ...(options.pinned === undefined ? {} : { pinned: options.pinned }),
  };
  return { plan, items: { ...NOTHING_OFFERED, ...items }, available: options.available ?? true };
}

const shown = (table: ReturnType<typeof buildTable>, kind: keyof OfferedItems): OfferedItem[] =>
  table.lists[kind].items.map(({ json }) => JSON.parse(json) as OfferedItem);

describe('the routing table', () => {
  test('the routing table lists a tool under its new name with every other member unchanged', () => {
    const tool = {
      name: 'x',
      description: 'd',
      inputSchema: { type: 'object' },
      icons: [{ src: 'i' }],
      'x-own': [1, null],
    };
    const table = buildTable({ aggregation: prefix }, [offer('a', { tools: [tool] })]);
    expect(shown(table, 'tools')).toEqual([{ ...tool, name: 'a_x' }]);
    expect(table.tools.get('a_x')).toEqual({ backend: 'a', originalName: 'x' });
    expect(table.tools.get('x')).toBeUndefined();
  });

  test('an override of a tool replaces only the members that it names', () => {
    const annotations = { title: 'T', readOnlyHint: true, own: 1 };
    const tool = { name: 'x', description: 'old', inputSchema, annotations };
    const overrides = { x: { name: 'y', description: 'new', annotations: { readOnlyHint: false } } };
    const table = buildTable({ aggregation: prefix }, [offer('a', { tools: [tool] }, { tools: { overrides } })]);
    expect(shown(table, 'tools')).toEqual([
      { name: 'a_y', description: 'new', inputSchema, annotations: { title: 'T', readOnlyHint: false, own: 1 } },
    ]);
    expect(table.tools.get('a_y')).toEqual({
      backend: 'a',
      originalName: 'x',
      annotations: { title: 'T', readOnlyHint: false, own: 1 },
    });
  });

  test('hidden tools are neither listed nor callable by clients', () => {
    const table = buildTable({ aggregation: prefix }, [
      offer(
        'a',
        {
          tools: [
            { name: 'x', inputSchema },
            { name: 'y', inputSchema },
          ],
        },
        { tools: { advertise: { type: 'only', names: ['y'] } } },
      ),
    ]);
    expect(shown(table, 'tools')).toEqual([{ name: 'a_y', inputSchema }]);
    expect([...table.tools.keys()]).toEqual(['a_y']);
  });

  test('the items of an unavailable backend are not listed, and no other backend gets their names', () => {
    const priority: AggregationPlan = { strategy: 'priority', priorityOrder: ['a', 'b'] };
    const table = buildTable({ aggregation: priority }, [
      offer('a', { tools: [{ name: 'review', inputSchema }] }, { available: false }),
      offer('b', { tools: [{ name: 'review', inputSchema }] }),
    ]);
    expect(shown(table, 'tools')).toEqual([]);
    expect(table.tools.get('review')).toEqual({ backend: 'a', originalName: 'review' });
    expect(table.withheld).toEqual([
      { kind: 'tools', backend: 'b', name: 'review', originalName: 'review', reason: 'outranked' },
    ]);
  });

  test('a resource URI of two backends belongs to the backend whose name comes first, and is reported as shadowed for the second backend', () => {
    const table = buildTable({ aggregation: prefix }, [
      offer('b', { resources: [{ uri: 'x://1', name: 'from b' }] }),
      offer('a', { resources: [{ uri: 'x://1', name: 'from a' }] }),
    ]);
    expect(shown(table, 'resources')).toEqual([{ uri: 'x://1', name: 'from a' }]);
    expect(table.resource('x://1')).toEqual({ backend: 'a', originalName: 'x://1' });
    expect(table.withheld).toEqual([
      { kind: 'resources', backend: 'b', name: 'x://1', originalName: 'x://1', reason: 'shadowed' },
    ]);
  });

  test('a resource URI that no backend lists belongs to the backend with the first URI template that matches', () => {
    const table = buildTable({ aggregation: prefix }, [
      offer('b', { resourceTemplates: [{ uriTemplate: 'x://{+any}', name: 'wide' }] }),
      offer('c', {
        resourceTemplates: [{ uriTemplate: 'x://a/{id}', name: 'narrow' }],
        resources: [{ uri: 'x://own', name: 'o' }],
      }),
    ]);
    expect(table.resource('x://a/7')?.backend).toBe('c');
    expect(table.resource('x://z')?.backend).toBe('b');
    expect(table.resource('x://own')?.backend).toBe('c');
    expect(table.resource('y://z')).toBeUndefined();
  });

  test('the routing table reports a filter or an override for a tool that the backend does not have', () => {
    const overrides = { old: { name: 'new' }, misspelt: { name: 'x' } };
    const tools = { overrides, advertise: { type: 'only' as const, names: ['new', 'old', 'plain', 'gone'] } };
    const offered = {
      tools: [
        { name: 'old', inputSchema },
        { name: 'plain', inputSchema },
      ],
    };
    const table = buildTable({ aggregation: prefix }, [
      offer('a', offered, { tools }),
      offer('b', offered, { tools, available: false }),
    ]);
    expect(table.idle).toEqual([
      { backend: 'a', setting: 'filter', tool: 'old' },
      { backend: 'a', setting: 'filter', tool: 'gone' },
      { backend: 'a', setting: 'override', tool: 'misspelt' },
    ]);
  });

  test('items without a name and invalid templates are withheld, and the other items of the backend are served', () => {
    const table = buildTable({ aggregation: prefix }, [
      offer('a', {
        tools: [
          { name: 'ok', inputSchema },
          { title: 'nameless' },
          null as unknown as OfferedItem,
          { name: 7 },
          { name: '' },
        ],
        resourceTemplates: [{ uriTemplate: 'x://{', name: 'broken' }],
      }),
    ]);
    expect(shown(table, 'tools')).toEqual([{ name: 'a_ok', inputSchema }]);
    expect(shown(table, 'resourceTemplates')).toEqual([]);
    expect(table.withheld.map(({ name, reason }) => `${name} ${reason}`)).toEqual([
      '#1 malformed',
      '#2 malformed',
      '#3 malformed',
      '#4 malformed',
      'x://{ malformed',
    ]);
  });

  const object = { type: 'object' };

  test.each<[string, OfferedItem, string]>([
    ['no input schema', { name: 'x' }, 'inputSchema must be a JSON Schema of type "object"'],
    [
      'an input schema that is a string',
      { name: 'x', inputSchema: '{}' },
      'inputSchema must be a JSON Schema of type "object"',
    ],
    [
      'an input schema of a list',
      { name: 'x', inputSchema: { type: 'array' } },
      'inputSchema must have "type": "object"',
    ],
    [
      'a keyword of the wrong kind',
      { name: 'x', inputSchema: { ...object, properties: { a: { type: 'string', required: true } } } },
      'inputSchema: /properties/a/required must be a list of property names',
    ],
    [
      'an unknown type',
      { name: 'x', inputSchema: { ...object, properties: { 'a/b': { type: ['string', 'any'] } } } },
      'inputSchema: /properties/a~1b/type must be a JSON type or a list of them',
    ],
    [
      'a broken pattern',
      { name: 'x', inputSchema: { ...object, patternProperties: { '(': true } } },
      'inputSchema: /patternProperties/( is not a regular expression',
    ],
    [
      'a broken output schema',
      { name: 'x', inputSchema: object, outputSchema: { ...object, properties: [] } },
      'outputSchema: /properties must be an object of schemas',
    ],
    [
      'a header for a number',
      { name: 'x', inputSchema: { ...object, properties: { a: { type: 'number', 'x-mcp-header': 'A' } } } },
      'parameter "a" has an x-mcp-header and is no integer, string or boolean',
    ],
    [
      'a header in an anyOf',
      {
        name: 'x',
        inputSchema: { ...object, anyOf: [{ properties: { a: { type: 'string', 'x-mcp-header': 'A' } } }] },
      },
      'the x-mcp-header "A" is not at a property reached by properties',
    ],
    [
      'two headers of the same name',
      {
        name: 'x',
        inputSchema: {
          ...object,
          properties: { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
        },
      },
      'two parameters have the x-mcp-header of mcp-param-a',
    ],
  ])(
    'a tool with %s is withheld and reported with its fault, and no other backend gets its name',
    (_, tool, detail) => {
      const table = buildTable({ aggregation: { strategy: 'priority', priorityOrder: ['a', 'b'] } }, [
        offer('a', { tools: [tool, { name: 'y', inputSchema }] }),
        offer('b', { tools: [{ name: 'x', inputSchema }] }),
      ]);
      expect(shown(table, 'tools').map(({ name }) => name)).toEqual(['y']);
      expect(table.tools.has('x')).toBe(false);
      expect(table.withheld).toContainEqual({
        kind: 'tools',
        backend: 'a',
        name: 'x',
        originalName: 'x',
        reason: 'invalid_schema',
        detail,
      });
    },
  );

  describe('pinned tools', () => {
    const digest = (tool: object) => computeDigest(formatCanonicalJson(tool));
    const tool = { name: 'x', description: 'd', inputSchema, annotations: { destructiveHint: true } };
    const pinned = { tools: { x: digest(tool) } };
    const aggregation: AggregationPlan = { strategy: 'priority', priorityOrder: ['a', 'b'] };
    const names = (table: ReturnType<typeof buildTable>) => shown(table, 'tools').map(({ name }) => name);

    test('a tool that equals its pinned definition is listed, with its members in any order', () => {
      const table = buildTable({ aggregation }, [
        offer('a', { tools: [Object.fromEntries(Object.entries(tool).reverse()) as typeof tool] }, { pinned }),
      ]);
      expect([names(table), table.withheld]).toEqual([['x'], []]);
    });

    test.each([
      ['its description', { ...tool, description: 'D' }],
      ['a hint', { ...tool, annotations: { destructiveHint: false } }],
      ['its schema', { ...tool, inputSchema: { type: 'object', required: ['y'] } }],
      ['a member that no revision has', { ...tool, more: 1 }],
    ])(
      'a tool that differs from its pinned definition in %s is withheld, and no other tool gets its name',
      (_, changed) => {
        const table = buildTable({ aggregation }, [
          offer('a', { tools: [changed] }, { pinned }),
          offer('b', { tools: [{ name: 'x', inputSchema }] }),
        ]);
        expect([names(table), table.tools.has('x'), table.callable.findByOriginalName('a', 'x')]).toEqual([
          [],
          false,
          undefined,
        ]);
        expect(table.withheld).toContainEqual(
          expect.objectContaining({ backend: 'a', originalName: 'x', reason: 'changed_definition' }),
        );
      },
    );

    test('a tool that is not pinned is withheld, and a tool of another backend can have its name', () => {
      const table = buildTable({ aggregation }, [
        offer('a', { tools: [tool, { name: 'y', inputSchema }] }, { pinned }),
        offer('b', { tools: [{ name: 'y', inputSchema }] }),
      ]);
      expect([names(table), table.tools.get('y')?.backend]).toEqual([['x', 'y'], 'b']);
      expect(table.withheld).toMatchObject([{ backend: 'a', originalName: 'y', reason: 'not_locked' }]);
    });

    test('the routing table does not report tools of an unavailable backend as different from their pinned definitions', () => {
      const items = { tools: [{ name: 'x', inputSchema }] };
      const table = buildTable({ aggregation }, [offer('a', items, { pinned, available: false })]);
      expect([names(table), table.tools.has('x'), table.withheld]).toEqual([[], true, []]);
    });
  });

  test.each([
    ['too many characters', 'x'.repeat(127), 'the name is longer than 128 characters'],
    ['a line break', 'x\ny', 'the name has spaces, control characters or invisible ones'],
    ['a wide space', 'x\u3000y', 'the name has spaces, control characters or invisible ones'],
    ['a C1 control character', 'x\u009by', 'the name has spaces, control characters or invisible ones'],
    ['a right-to-left override', 'x\u202ey', 'the name has spaces, control characters or invisible ones'],
    ['an invisible character', 'x\u200by', 'the name has spaces, control characters or invisible ones'],
  ])('a tool is withheld when its name with its prefix has %s', (_, name, detail) => {
    const table = buildTable({ aggregation: prefix }, [
      offer('a', {
        tools: [
          { name, inputSchema },
          { name: 'ok', inputSchema },
        ],
      }),
    ]);
    expect(shown(table, 'tools').map(tool => tool.name)).toEqual(['a_ok']);
    expect(table.withheld).toMatchObject([{ originalName: name, reason: 'unfit_name', detail }]);
  });

  test('a tool is listed although its name has characters that MCP only advises against', () => {
    const names = ['größe', 'repo/list', '查询', 'a:b', 'x.y-z_1'];
    const table = buildTable({ aggregation: prefix }, [
      offer('a', { tools: names.map(name => ({ name, inputSchema })) }),
    ]);
    expect(shown(table, 'tools').map(tool => tool.name)).toEqual(
      expect.arrayContaining(names.map(name => `a_${name}`)),
    );
    expect(table.withheld).toEqual([]);
  });

  test('of two tools with the same name in one backend, the first tool is listed', () => {
    const table = buildTable({ aggregation: prefix }, [
      offer('a', {
        tools: [
          { name: 'x', title: '1', inputSchema },
          { name: 'x', title: '2', inputSchema },
        ],
      }),
    ]);
    expect(shown(table, 'tools')).toEqual([{ name: 'a_x', title: '1', inputSchema }]);
    expect(table.withheld).toEqual([
      {
        kind: 'tools',
        backend: 'a',
        name: 'x',
        originalName: 'x',
        reason: 'duplicate',
        detail: 'is listed more than once: only the first is served',
      },
    ]);
  });

  test('the routing table has for each tool the arguments that become Mcp-Param headers', () => {
    const mirrored = {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        options: { type: 'object', properties: { size: { type: 'integer', 'x-mcp-header': 'Size' } } },
      },
    };
    const table = buildTable({ aggregation: prefix }, [offer('a', { tools: [{ name: 'x', inputSchema: mirrored }] })]);
    expect(table.tools.get('a_x')?.paramHeaders).toEqual([
      { header: 'mcp-param-region', path: ['region'], type: 'string' },
      { header: 'mcp-param-size', path: ['options', 'size'], type: 'integer' },
    ]);
  });
});
