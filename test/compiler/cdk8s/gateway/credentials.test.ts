/** Which credential a gateway sends to its backends, by what the program sets for the gateway and for the backends. */
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

/** A chart with three backends: `keyed` has a credential, `bare` has none, and `elsewhere` has one but is no intent-level construct. */
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
  ["the members' own credentials", undefined, false, OWN],
  ["the members' own credentials next to a backend that the gateway lists", undefined, true, { ...OWN, ...NOTES }],
  ["the members' own credentials with source inline", () => ({ source: 'inline' }), false, OWN],
  [
    'the default for members without a credential',
    shared => ({ default: shared }),
    false,
    { ...OWN, bare: 'X-Shared' },
  ],
  [
    'the default for members without a credential, next to a backend that the gateway lists',
    shared => ({ default: shared }),
    true,
    { ...OWN, bare: 'X-Shared', notes: 'X-Shared' },
  ],
  [
    "the gateway's credential in place of the member's own",
    shared => ({ backends: { keyed: shared } }),
    true,
    { ...OWN, ...NOTES, keyed: 'X-Shared' },
  ],
  [
    "the members' own credentials with a discovered default",
    () => ({ default: OutgoingAuth.discovered() }),
    true,
    { ...OWN, ...NOTES },
  ],
];

test.each(CASES)('backends of a Gateway construct get %s', (_, outgoing, isWritten, sent) => {
  expect(compiled(chartWith(outgoing, isWritten)).credentials('gateway')).toEqual(sent);
});

test('the Gateway construct writes outgoing source inline and nothing else if no member has a credential', () => {
  const chart = new Chart(new App(), 'world');
  const group = new Group(chart, 'eng');
  Backend.entry(chart, 'bare', { group, remoteUrl, transport });
  const gateway = new Gateway(chart, 'gateway', { group, incoming: Incoming.anonymous() });
  gateway.addBackend(Backend.inline({ name: 'notes', url: 'https://notes.example/mcp', transport }));
  expect(chart.toJson().at(-1)).toMatchObject({ spec: { outgoingAuth: { source: 'inline' } } });
});
