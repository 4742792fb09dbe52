/** Backends of every kind with every fault, and clients of every kind: each call ends as specified, and affects no other call. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { CALL_KINDS, type CallKind, violation } from '../soak/calls.ts';
import type { SoakClient } from '../soak/clients/ending.ts';
import { PairClient } from '../soak/clients/pair-client.ts';
import { SdkV1Client, SdkV2Client } from '../soak/clients/sdk-clients.ts';
import { SessionClient } from '../soak/clients/session-client.ts';
import { StatelessClient } from '../soak/clients/stateless-client.ts';
import { Wire } from '../soak/clients/wire.ts';
import { type Mood, TOO_LATE_MS } from '../soak/peers/moods.ts';
import { type PeerKind, PeerProcess } from '../soak/peers/processes.ts';

type Fault = Pick<CallKind, 'mood' | 'outcomes'>;

const become = (outcome: CallKind['outcomes'][number], ...moods: readonly Mood[]): readonly Fault[] =>
  moods.map(mood => ({ mood, outcomes: [outcome] }));

/** The outcome of each fault. The soak's faults are those of its Streamable HTTP backends with sessions, each once. */
const FAULTS: { readonly [kind in PeerKind]: readonly Fault[] } = {
  streamable: CALL_KINDS.filter(({ backend }) => !['pair', 'stateless', 'dying'].includes(backend)).filter(
    ({ mood }, index, all) => all.findIndex(other => other.mood === mood) === index,
  ),
  sse: [
    // A message on the shared stream that belongs to no request fails no request.
    ...become('answer', 'events', 'twice', 'foreign', 'late', 'garbage', 'garbage-event', 'ask'),
    ...become('answer', 'forget', 'redirect'),
    ...become('http_error', 'refuse', 'forget-always', 'redirect-away'),
    ...become('connection_failed', 'end-stream', 'cut', 'cut-stream'),
    ...become('timeout', 'stall', 'too-late'),
  ],
  stateless: [
    ...become('answer', 'events', 'twice', 'foreign', 'late', 'ask', 'redirect'),
    ...become('protocol_error', 'garbage', 'garbage-event', 'end-stream'),
    ...become('http_error', 'refuse', 'forget-always', 'redirect-away'),
    ...become('connection_failed', 'cut-stream'),
    // The part of the response before the failure may have been forwarded or not.
    { mood: 'cut', outcomes: ['broken', 'connection_failed'] },
    ...become('timeout', 'stall', 'too-late'),
  ],
};

const KINDS = Object.keys(FAULTS) as PeerKind[];

const CLIENTS: readonly (readonly [name: string, make: (url: string, wire: Wire) => SoakClient])[] = [
  ['SDK v1', url => new SdkV1Client('v1', url)],
  ['SDK v1, HTTP+SSE', url => new SdkV1Client('v1 pair', url, 'sse')],
  ['SDK v2, stateless', url => new SdkV2Client('v2 stateless', url, 'auto')],
  ['SDK v2, session', url => new SdkV2Client('v2 session', url, 'legacy')],
  ['raw session', (_, wire) => new SessionClient('raw session', wire)],
  ['raw HTTP+SSE', url => new PairClient('raw pair', url)],
  ['raw stateless', (_, wire) => new StatelessClient('raw stateless', wire)],
];

/** The timeout for backends that do not respond. It ends well before the response that comes too late. */
const SILENT_MS = TOO_LATE_MS / 3;

/** The timeout for backends whose faults end without one: long enough for any machine. */
const PATIENT_MS = 100_000;

const planOf = (peers: PeerProcess, name: string, kind: PeerKind, timeoutMs = PATIENT_MS) =>
  backendPlan(name, peers.url(name), {
    transport: kind === 'sse' ? 'sse' : 'streamable-http',
    timeoutMs,
  });

/** Makes a call, and returns the violation in its outcome; undefined if there is none. */
async function problemOf(client: SoakClient, backend: string, { mood, outcomes }: Fault, nonce: string) {
  const ending = await client.call(`${backend}_echo`, { mood, nonce });
  const problem = violation({ backend, mood, outcomes, share: 0 }, nonce, client.name, ending);
  return problem && `${nonce}: ${problem}`;
}

const isSilent = ({ outcomes }: Fault) => outcomes.includes('timeout');

/** The faults in groups: first each alone, because some end the session; then those without a response, concurrently. */
function inTurn(faults: readonly Fault[]): readonly (readonly Fault[])[] {
  return [...faults.filter(fault => !isSilent(fault)).map(fault => [fault]), faults.filter(isSilent)];
}

const [PLAIN] = become('answer', 'plain') as [Fault];

describe('a broken backend of every kind next to healthy backends', () => {
  let peers: PeerProcess;
  let gateway: TestGateway;

  beforeAll(async () => {
    const names = KINDS.flatMap(
      kind =>
        [
          [`broken-${kind}`, kind],
          [`silent-${kind}`, kind],
          [`well-${kind}`, kind],
        ] as const,
    );
    peers = await PeerProcess.start(Object.fromEntries(names.map(([name, kind]) => [name, [kind, 0]])));
    gateway = await startGateway({
      backends: names.map(([name, kind]) =>
        planOf(peers, name, kind, name.startsWith('silent-') ? SILENT_MS : PATIENT_MS),
      ),
    });
    await gateway.ready();
  });

  afterAll(async () => {
    await gateway.stop();
    await peers[Symbol.asyncDispose]();
  });

  test.concurrent.each(CLIENTS)(
    'the client "%s" gets an error for a call at each kind of broken backend, while its calls at healthy backends succeed',
    async (_, make) => {
      const wire = new Wire(gateway.url, 16);
      const client = make(gateway.url, wire);
      await client.open();
      const problems = await Promise.all(
        KINDS.map(async kind => {
          const found: (string | undefined)[] = [];
          for (const faults of inTurn(FAULTS[kind])) {
            const nonce = `${client.name} at ${kind}: ${faults.map(({ mood }) => mood)}`;
            const backend = `${faults.some(isSilent) ? 'silent' : 'broken'}-${kind}`;
            const broken = faults.map(fault => problemOf(client, backend, fault, `${nonce}: ${fault.mood}`));
            const healthy = KINDS.map(each => problemOf(client, `well-${each}`, PLAIN, `${nonce} next to ${each}`));
            found.push(...(await Promise.all([...broken, ...healthy])));
            // On a busy machine even a plain call may exceed the time limit of the silent backend.
            const isWell = async () => (await problemOf(client, backend, PLAIN, `${nonce} and then`)) === undefined;
            if (faults.some(isSilent)) await eventually(isWell);
            else found.push(await problemOf(client, backend, PLAIN, `${nonce} and then`));
          }
          return found;
        }),
      );
      expect(problems.flat().filter(problem => problem !== undefined)).toEqual([]);
      await client.close();
      await wire.close();
      // A redirect to another origin, if it were followed, would be recorded there.
      expect(peers.program.stderr.text).toBe('');
    },
  );
});

describe.each(KINDS)('a backend of kind "%s" whose process dies', kind => {
  test.each(CLIENTS)(
    'calls of the client "%s" fail while a backend dies, calls at healthy backends succeed, and the restarted backend is used at once',
    async (_, make) => {
      let dying = await PeerProcess.start({ dying: [kind, 0] });
      onTestFinished(() => dying[Symbol.asyncDispose]());
      const well = await PeerProcess.start({ well: ['streamable', 0] });
      onTestFinished(() => well[Symbol.asyncDispose]());
      const port = Number(new URL(dying.url('dying')).port);
      await using gateway = await startGateway({
        backends: [planOf(dying, 'dying', kind), planOf(well, 'well', 'streamable')],
      });
      await gateway.ready();
      const wire = new Wire(gateway.url, 16);
      onTestFinished(() => wire.close());
      const client = make(gateway.url, wire);
      await client.open();

      const lost = problemOf(client, 'dying', { mood: 'stall', outcomes: ['connection_failed'] }, 'lost');
      const late = problemOf(client, 'well', { mood: 'late', outcomes: ['answer'] }, 'late');
      // The stalled call has arrived: when each call has its own session, another call does not show that.
      await eventually(async () => (await dying.calls('dying')) > 0);
      expect(await problemOf(client, 'dying', PLAIN, 'before')).toBeUndefined();
      dying.program.kill('SIGKILL');
      expect(await Promise.all([lost, late])).toEqual([undefined, undefined]);
      await dying.program.exitCode();
      dying = await PeerProcess.start({ dying: [kind, port] });
      // On a busy machine three probes may have failed meanwhile: then a call is refused, and leads to a probe at once.
      let attempts = 0;
      await eventually(async () => (await problemOf(client, 'dying', PLAIN, `after ${attempts++}`)) === undefined);
      await client.close();
    },
  );
});
