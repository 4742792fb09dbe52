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
])('the condition of one that is %s', (_, status, condition, message) => {
  const said = createEmbeddingCondition({ name: 'e', status });
  expect(`${said.status} ${said.reason}`).toBe(condition);
  expect(said.message).toBe(message);
});

test.each<
  [what: string, verdict: PhaseResult, status: EmbeddingServerStatus | undefined, before: Phase, expected: string]
>([
  ['one that is ready changes nothing', serving, READY, undefined, 'Ready DeploymentReady'],
  ['a gateway that never served waits for it', serving, LOADING, 'Pending', 'Pending EmbeddingServerNotReady'],
  ['one that serves goes on by keywords', serving, LOADING, 'Ready', 'Degraded EmbeddingServerNotReady'],
  ['and stays so', serving, LOADING, 'Degraded', 'Degraded EmbeddingServerNotReady'],
  [
    'one that failed keeps a gateway from serving',
    serving,
    { phase: 'Failed' },
    'Pending',
    'Failed EmbeddingServerNotReady',
  ],
  ['one that is not there does as well', serving, undefined, undefined, 'Failed EmbeddingServerNotFound'],
  [
    'what failed by itself tells why',
    { ...serving, phase: 'Failed', ready: { ...serving.ready, status: 'False', reason: 'DeploymentFailed' } },
    LOADING,
    'Ready',
    'Failed DeploymentFailed',
  ],
])('%s', (_, verdict, status, before, expected) => {
  const { phase, ready } = withEmbedding(verdict, { name: 'e', status }, before === undefined ? {} : { phase: before });
  expect(`${phase} ${ready.reason}`).toBe(expected);
});

test('a gateway without a reference is what its pods say', () => {
  expect(withEmbedding(serving, undefined, {})).toBe(serving);
});
