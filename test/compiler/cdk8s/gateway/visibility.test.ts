/** Which of the backends' tools a gateway shows, by the program's statements. */
import { describe, expect, test } from 'vitest';
import {
  Backend,
  Caller,
  Conflicts,
  Gateway,
  type GatewayProps,
  Incoming,
  MCPToolConfig,
} from '../../../../compiler/cdk8s/index.ts';
import { OFFERS, world } from '../../../support/cdk8s-world.ts';
import { compiled } from '../../../support/compiled-chart.ts';

type World = ReturnType<typeof world>;
type Props = Pick<GatewayProps, 'defaultToolVisibility' | 'excludeAllTools' | 'conflicts'>;

const ALL = ['docs_read', 'docs_search', 'github_create_issue', 'github_delete_repo', 'github_search'];

const CASES: readonly [
  what: string,
  props: (w: World) => Props,
  say: (gateway: Gateway, w: World) => unknown,
  aggregation: object,
  offered: readonly string[],
][] = [
  ['nothing by default', () => ({}), () => {}, { defaultToolVisibility: 'deny' }, []],
  [
    'the tools that are exposed or granted by name',
    () => ({}),
    (gateway, { docs, github }) =>
      gateway.expose(docs.tools.read).grant(Caller.any()).call(github.tools.search, docs.tools.search),
    {
      defaultToolVisibility: 'deny',
      tools: [
        { workload: 'docs', filter: ['read', 'search'] },
        { workload: 'github', filter: ['search'] },
      ],
    },
    ['docs_read', 'docs_search', 'github_search'],
  ],
  [
    'everything if the default is allow',
    () => ({ defaultToolVisibility: 'allow' }),
    () => {},
    { defaultToolVisibility: 'allow' },
    ALL,
  ],
  [
    'exposed tools of one backend, and all tools of the others',
    () => ({ defaultToolVisibility: 'allow' }),
    (gateway, { github }) => gateway.expose(github.tools.search),
    { defaultToolVisibility: 'allow', tools: [{ workload: 'github', filter: ['search'] }] },
    ['docs_read', 'docs_search', 'github_search'],
  ],
  [
    'granted tools in addition to exposed tools',
    () => ({ defaultToolVisibility: 'allow' }),
    (gateway, { docs }) => gateway.expose(docs.tools.read).grant(Caller.any()).call(docs.tools.search),
    { defaultToolVisibility: 'allow', tools: [{ workload: 'docs', filter: ['read', 'search'] }] },
    ALL,
  ],
  [
    'everything if a tool is granted or renamed only',
    () => ({ defaultToolVisibility: 'allow' }),
    (gateway, { docs, github }) =>
      gateway.rename(github.tools.search, 'find').grant(Caller.any()).call(docs.tools.search),
    {
      defaultToolVisibility: 'allow',
      tools: [{ workload: 'github', overrides: { search: { name: 'find' } } }],
    },
    ALL.map(name => (name === 'github_search' ? 'github_find' : name)).toSorted(),
  ],
  [
    'everything but hidden tools',
    () => ({ defaultToolVisibility: 'allow' }),
    (gateway, { docs, github }) => gateway.hide(docs, github.tools.delete_repo),
    {
      defaultToolVisibility: 'allow',
      tools: [
        { workload: 'docs', excludeAll: true },
        { workload: 'github', filter: ['create_issue', 'search'] },
      ],
    },
    ['github_create_issue', 'github_search'],
  ],
  [
    'nothing if all tools are excluded',
    () => ({ excludeAllTools: true }),
    (gateway, { docs }) => gateway.rename(docs.tools.read, 'open'),
    { excludeAllTools: true, tools: [{ workload: 'docs', overrides: { read: { name: 'open' } } }] },
    [],
  ],
  [
    'the tools that a shared MCPToolConfig selects',
    () => ({}),
    (gateway, { chart, docs }) =>
      gateway.applyToolConfig(docs, new MCPToolConfig(chart, 'reading', { spec: { toolsFilter: ['read'] } })),
    { defaultToolVisibility: 'deny', tools: [{ workload: 'docs', toolConfigRef: { name: 'reading' } }] },
    ['docs_read'],
  ],
  [
    'a tool with a name and a description set by two calls',
    () => ({}),
    (gateway, { docs }) =>
      gateway
        .expose(docs.tools.read)
        .rename(docs.tools.read, 'open')
        .describe(docs.tools.read, { description: 'Opens a page' }),
    {
      defaultToolVisibility: 'deny',
      tools: [
        {
          workload: 'docs',
          filter: ['open'],
          overrides: { read: { name: 'open', description: 'Opens a page' } },
        },
      ],
    },
    ['docs_open'],
  ],
  [
    'the names by priority, with prefixes for backends outside of the order',
    ({ docs }) => ({ conflicts: Conflicts.priority([docs], { prefixFormat: '{workload}.' }) }),
    (gateway, { docs, github }) => gateway.expose(docs, github),
    {
      conflictResolution: 'priority',
      conflictResolutionConfig: { prefixFormat: '{workload}.', priorityOrder: ['docs'] },
      defaultToolVisibility: 'deny',
      tools: [
        { workload: 'docs', filter: ['read', 'search'] },
        { workload: 'github', filter: ['create_issue', 'delete_repo', 'search'] },
      ],
    },
    ['create_issue', 'delete_repo', 'read', 'search'],
  ],
];

describe('offered tools', () => {
  test.each(CASES)('the Gateway construct offers %s', (_, props, say, aggregation, offered) => {
    const w = world();
    const gateway = new Gateway(w.chart, 'eng', { group: w.group, incoming: Incoming.anonymous(), ...props(w) });
    gateway.addPolicy('permit (principal, action, resource);');
    say(gateway, w);
    const manifest = w.chart.toJson().find(({ kind }) => kind === 'VirtualMCPServer');
    expect(manifest.spec.config.aggregation).toEqual({ ...PREFIX, ...aggregation });
    const result = compiled(w.chart, OFFERS);
    expect(result.findings.filter(finding => !/^LNT(4001|5004|5007)/.test(finding))).toEqual([]);
    expect(result.caller('eng').reachable()).toEqual(offered);
  });
});

const PREFIX = { conflictResolution: 'prefix', conflictResolutionConfig: { prefixFormat: '{workload}_' } };

const REFUSED: readonly [what: string, props: Props, say: (gateway: Gateway, w: World) => unknown, message: string][] =
  [
    [
      'an exposed tool where all tools are excluded',
      { excludeAllTools: true },
      (gateway, { docs }) => gateway.expose(docs),
      'something is exposed, and `excludeAllTools` offers no tool',
    ],
    [
      'a grant where all tools are excluded',
      { excludeAllTools: true },
      (gateway, { docs }) => gateway.grant(Caller.any()).call(docs.tools.read),
      '"read" of "docs" is hidden or not exposed',
    ],
    [
      'a hidden tool of a backend without a lock',
      { defaultToolVisibility: 'allow' },
      (gateway, { group }) => gateway.hide(Backend.existing({ name: 'new', group }).tool('drop')),
      '"drop" is hidden, but its backend "new" has no lock and is offered as a whole',
    ],
    [
      'a grant of a tool that a shared MCPToolConfig renames',
      {},
      (gateway, { docs }) =>
        gateway.applyToolConfig(docs, { name: 'reading' }).grant(Caller.any()).call(docs.tools.read),
      'what "read" of "docs" is called is decided by MCPToolConfig "reading"',
    ],
    [
      'a rename at a backend with a shared MCPToolConfig',
      {},
      (gateway, { docs }) => gateway.applyToolConfig(docs, { name: 'reading' }).rename(docs.tools.read, 'open'),
      'MCPToolConfig "reading" decides what "docs" shows',
    ],
  ];

describe('impossible tool settings', () => {
  test.each(REFUSED)('the Gateway construct throws at synthesis for %s', (_, props, say, message) => {
    const w = world();
    say(new Gateway(w.chart, 'eng', { group: w.group, incoming: Incoming.anonymous(), ...props }), w);
    expect(() => w.chart.toJson()).toThrow(message);
  });
});

test('Conflicts.priority refuses a prefix format without {workload}', () => {
  const { docs } = world();
  expect(() => Conflicts.priority([docs], { prefixFormat: 'all_' })).toThrow('"all_" has no {workload}');
});
