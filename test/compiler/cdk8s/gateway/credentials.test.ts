/** Which credential a gateway sends to its backends, by the program's statements about it and them. */
import { App, Chart } from 'cdk8s';
import { expect, test } from 'vitest';
import {
  Backend,
  Gateway,
  Group,
  Incoming,
  MCPServerEntry,
  type Outgoing,
  OutgoingAuth,
  Secret,
} from '../../../../compiler/cdk8s/index.ts';
import { compiled } from '../../../support/compiled-chart.ts';

const transport = 'streamable-http';
const remoteUrl = 'https://search.example/mcp';

/** A group of `keyed`, which has a credential, `bare`, which has none, and `elsewhere`, which has one but is no intent-level construct. */
function chartWith(outgoing: ((shared: OutgoingAuth) => Outgoing) | undefined, isWritten: boolean): Chart {
  const chart = new Chart(new App(), 'world');
  const group = new Group(chart, 'eng');
  const auth = OutgoingAuth.header(chart, 'key', { header: 'X-Key', value: Secret.key('search', 'key') });
  const shared = OutgoingAuth.header(chart, 'shared', { header: 'X-Shared', value: Secret.key('shared', 'key') });
  Backend.entry(chart, 'keyed', { group, remoteUrl, transport, auth });
  Backend.entry(chart, 'bare', { group, remoteUrl, transport });
  new MCPServerEntry(chart, 'elsewhere', {
    spec: { groupRef: { name: 'eng' }, remoteUrl, transport, externalAuthConfigRef: { name: 'key' } },
  });
  Backend.existing({ name: 'elsewhere', group });
  const gateway = new Gateway(chart, 'gateway', {
    group,
    incoming: Incoming.anonymous(),
    ...(outgoing === undefined ? {} : { outgoing: outgoing(shared) }),
  });
  if (isWritten) gateway.addBackend(Backend.inline({ name: 'notes', url: 'https://notes.example/mcp', transport }));
  return chart;
}

const OWN = { keyed: 'X-Key', bare: 'unauthenticated', elsewhere: 'X-Key' };
const NOTES = { notes: 'unauthenticated' };

const CASES: readonly [
  what: string,
  outgoing: ((shared: OutgoingAuth) => Outgoing) | undefined,
  isWritten: boolean,
  sent: Readonly<Record<string, string>>,
][] = [
  ['members refer to their own', undefined, false, OWN],
  ['a backend that is written out takes none away', undefined, true, { ...OWN, ...NOTES }],
  ['neither does the source', () => ({ source: 'inline' }), false, OWN],
  ['a default is for those that have none', shared => ({ default: shared }), false, { ...OWN, bare: 'X-Shared' }],
  [
    'and so it is next to a backend that is written out',
    shared => ({ default: shared }),
    true,
    { ...OWN, bare: 'X-Shared', notes: 'X-Shared' },
  ],
  [
    'what the gateway says of a backend counts more',
    shared => ({ backends: { keyed: shared } }),
    true,
    { ...OWN, ...NOTES, keyed: 'X-Shared' },
  ],
  ['what is discovered by default', () => ({ default: OutgoingAuth.discovered() }), true, { ...OWN, ...NOTES }],
];

test.each(CASES)('%s', (_, outgoing, isWritten, sent) => {
  expect(compiled(chartWith(outgoing, isWritten)).credentials('gateway')).toEqual(sent);
});

test('nothing is written where no member has a credential', () => {
  const chart = new Chart(new App(), 'world');
  const group = new Group(chart, 'eng');
  Backend.entry(chart, 'bare', { group, remoteUrl, transport });
  const gateway = new Gateway(chart, 'gateway', { group, incoming: Incoming.anonymous() });
  gateway.addBackend(Backend.inline({ name: 'notes', url: 'https://notes.example/mcp', transport }));
  expect(chart.toJson().at(-1)).toMatchObject({ spec: { outgoingAuth: { source: 'inline' } } });
});
