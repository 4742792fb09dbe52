/** Errors that Lintel's constructs report, at the line of the program that caused them. */
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { project } from './project.ts';

const HEAD = `import { App, Chart, JsonPatch } from 'cdk8s';
import { Backend, Caller, Conflicts, Gateway, Group, Incoming, VirtualMCPServer, Workflow } from 'lintel/cdk8s';
const app = new App();
const chart = new Chart(app, 'Eng');
const group = new Group(chart, 'eng');
import { catalog } from './lintel.lock.ts';
const docs = Backend.entry(chart, 'docs', { group, remoteUrl: 'https://docs.example.com/mcp', transport: 'streamable-http', locked: catalog.docs });
const other = Backend.inline({ name: 'other', url: 'https://other.example.com/mcp', transport: 'streamable-http' });
const gateway = new Gateway(chart, 'gateway', { group, incoming: Incoming.anonymous() });
export default app;
`;

const LOCK = `import { lockedBackend } from 'lintel/cdk8s';
export const catalog = { docs: lockedBackend({ key: 'default/MCPServerEntry/docs', name: 'docs', toolNames: ['search'] }) };
`;

/** The program from line 11 on, and its findings with their places. */
const TABLE: readonly [what: string, body: string, expected: readonly string[]][] = [
  [
    'a grant of a tool of another gateway',
    `gateway.grant(Caller.any()).call(
  docs.tool('search'),
  other.tool('read'),
);`,
    ['13:3 LNT1086 Eng/gateway: "other" is not a backend of this gateway'],
  ],
  [
    'a tool of another gateway that a helper hides',
    `function quiet(name: string) {
  const tool = other.tool(name);
  gateway.hide(tool);
}
quiet('read');`,
    ['12:16 LNT1086 Eng/gateway: "other" is not a backend of this gateway'],
  ],
  [
    'a caller in a gateway with anonymous callers',
    `gateway.grant(Caller.group('eng')).call(docs.tool('search'));`,
    [
      '11:36 LNT1086 Eng/gateway: incoming authentication is anonymous, so callers cannot be told apart: use Caller.any(), or have callers sign in',
    ],
  ],
  [
    'a prohibition without tools',
    `gateway.forbid(
  Caller.any());`,
    [
      '11:1 LNT1086 Eng/gateway: `forbid` forbids nothing: add .call(…), .callAll(…), .get(…), .read(…) or .everything()',
    ],
  ],
  [
    'a name that another tool of the backend has',
    `gateway.expose(docs.tool('search'));
gateway.rename(other.tool('read'), 'look').rename(other.tool('find'), 'look');
gateway.addBackend(other);`,
    ['12:36 LNT1086 Eng/gateway: "find" and "read" of "other" would both be called "look": rename one of them'],
  ],
  [
    'two policies with the same id',
    `gateway.grant(Caller.any(), { id: 'one' }).call(docs.tool('search'));
gateway.forbid(Caller.any(), { id: 'one' }).everything();`,
    ['12:45 LNT1086 Eng/gateway: two policies have the id "one"'],
  ],
  [
    'a workflow without steps',
    `new Workflow(gateway, 'flow', { description: 'none' });`,
    ['11:1 LNT1086 Eng/gateway/flow: the workflow has no steps'],
  ],
  [
    'an argument that a constructor refuses',
    `new Gateway(chart, 'second', { group, incoming: Incoming.anonymous(), conflicts: Conflicts.prefix('none') });`,
    ['11:92 LNT1070 the program throws RangeError: the prefix "none" has no {workload}'],
  ],
  [
    'a group of another namespace',
    `const ops = new Chart(app, 'Ops', { namespace: 'ops' });
Backend.entry(ops, 'wiki', { group, remoteUrl: 'https://wiki.example.com/mcp', transport: 'streamable-http' });
new Gateway(ops, 'wikis', {
  group: group,
  incoming: Incoming.anonymous(),
});`,
    [
      '12:30 LNT2001 no MCPGroup named "eng" in namespace "ops"',
      '14:3 LNT2001 no MCPGroup named "eng" in namespace "ops"',
    ],
  ],
  [
    'the tool lock of another backend',
    `Backend.entry(chart, 'pg', { group, remoteUrl: 'https://pg.example.com/mcp', transport: 'streamable-http', locked: catalog.docs });`,
    [
      '11:108 LNT1086 Eng/pg: the lock is that of "default/MCPServerEntry/docs", and this is "default/MCPServerEntry/pg": give it its own, which `lintel lock --types` writes',
    ],
  ],
  [
    'the tool lock of a backend in another namespace',
    `const staging = new Chart(app, 'Staging', { namespace: 'staging' });
const few = new Group(staging, 'few');
Backend.entry(staging, 'docs', { group: few, remoteUrl: 'https://docs.example.com/mcp', transport: 'streamable-http', locked: catalog.docs });`,
    [
      '13:119 LNT1086 Staging/docs: the lock is that of "default/MCPServerEntry/docs", and this is "staging/MCPServerEntry/docs": give it its own, which `lintel lock --types` writes',
    ],
  ],
  [
    'the tool lock of another backend for a backend that is declared elsewhere',
    `Backend.existing({ name: 'pg', group, locked: catalog.docs });`,
    [
      '11:9 LNT1070 the program throws TypeError: the lock is that of "default/MCPServerEntry/docs", and this backend is named "pg"',
    ],
  ],
  [
    'a field that does not exist',
    `const spec = { groupRef: { name: 'eng' }, replica: 2 };
new VirtualMCPServer(chart, 'plain', { spec } as never);`,
    [
      '11:43 LNT1070 the program throws Error: [Eng/plain] VirtualMCPServer "plain":; /spec/replica is no field; did you mean "replicas"? (at construct Eng/plain)',
    ],
  ],
  [
    'an override below a missing field',
    `gateway.override('/spec/nothing/here', true);`,
    ['11:1 LNT1070 the program throws Error: /spec/nothing is not there (at construct Eng/gateway/Resource)'],
  ],
];

test.each(TABLE)(
  '`lintel check` reports a mistake at the line of the program that made it: %s',
  async (_what, body, expected) => {
    await using folder = await project({ 'app.ts': `${HEAD}${body}\n`, 'lintel.lock.ts': LOCK });
    const { stdout, stderr } = await runLintel(['check', 'app.ts', '--no-typecheck', '--format', 'json'], {
      cwd: folder.path,
    });
    expect(stderr).toBe('');
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { code: string; message: string; range: { start: { line: number; column: number } } }[];
    };
    const found = diagnostics.map(
      ({ code, message, range: { start } }) => `${start.line}:${start.column} ${code} ${message}`,
    );
    expect(found).toEqual(expected);
  },
);
