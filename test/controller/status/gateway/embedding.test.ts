/** How a gateway's EmbeddingServer affects the gateway's status. */
import { expect, test } from 'vitest';
import type { EmbeddingServerStatus, VirtualMCPServerStatus } from '#schemas';
import { createEmbeddingCondition, withEmbedding } from '../../../../controller/status/gateway/embedding.ts';
import type { PhaseResult } from '../../../../controller/status/gateway/phase.ts';

type Phase = VirtualMCPServerStatus['phase'];

const serving: PhaseResult = {
  phase: 'Ready',
  message: '1 backend healthy',
  ready: { type: 'Ready', status: 'True', reason: 'DeploymentReady', message: '1 backend healthy' },
};
const READY = { phase: 'Ready', readyReplicas: 1 } as const;
const LOADING = { phase: 'Downloading', readyReplicas: 0, message: 'Its pods load the model' } as const;

test.each<[what: string, status: EmbeddingServerStatus | undefined, condition: string, message: string]>([
  ['ready', READY, 'True EmbeddingServerReady', 'EmbeddingServer e is ready'],
  ['without a ready pod', { phase: 'Ready' }, 'False EmbeddingServerNotReady', 'EmbeddingServer e is Ready'],
  ['loading', LOADING, 'False EmbeddingServerNotReady', 'EmbeddingServer e is Downloading: Its pods load the model'],
  ['without a status', {}, 'False EmbeddingServerNotReady', 'EmbeddingServer e is Pending'],
  ['missing', undefined, 'False EmbeddingServerNotFound', 'EmbeddingServer e does not exist'],
])(
  'the condition EmbeddingServerReady of a gateway is right for an EmbeddingServer that is %s',
  (_, status, condition, message) => {
    const said = createEmbeddingCondition({ name: 'e', status });
    expect(`${said.status} ${said.reason}`).toBe(condition);
    expect(said.message).toBe(message);
  },
);

test.each<
  [what: string, verdict: PhaseResult, status: EmbeddingServerStatus | undefined, before: Phase, expected: string]
>([
  ['a ready EmbeddingServer leaves the phase unchanged', serving, READY, undefined, 'Ready DeploymentReady'],
  [
    'a gateway that never served is Pending while the model loads',
    serving,
    LOADING,
    'Pending',
    'Pending EmbeddingServerNotReady',
  ],
  [
    'a gateway that served is Degraded while the model loads',
    serving,
    LOADING,
    'Ready',
    'Degraded EmbeddingServerNotReady',
  ],
  [
    'a Degraded gateway stays Degraded while the model loads',
    serving,
    LOADING,
    'Degraded',
    'Degraded EmbeddingServerNotReady',
  ],
  [
    'a Failed EmbeddingServer makes a new gateway Failed',
    serving,
    { phase: 'Failed' },
    'Pending',
    'Failed EmbeddingServerNotReady',
  ],
  [
    'a missing EmbeddingServer makes a new gateway Failed',
    serving,
    undefined,
    undefined,
    'Failed EmbeddingServerNotFound',
  ],
  [
    'a gateway whose pods failed keeps its own reason',
    { ...serving, phase: 'Failed', ready: { ...serving.ready, status: 'False', reason: 'DeploymentFailed' } },
    LOADING,
    'Ready',
    'Failed DeploymentFailed',
  ],
])('the phase of a gateway follows its EmbeddingServer: %s', (_, verdict, status, before, expected) => {
  const { phase, ready } = withEmbedding(verdict, { name: 'e', status }, before === undefined ? {} : { phase: before });
  expect(`${phase} ${ready.reason}`).toBe(expected);
});

test('the phase of a gateway without an EmbeddingServer depends only on its pods', () => {
  expect(withEmbedding(serving, undefined, {})).toBe(serving);
});
