/**
 * How the EmbeddingServer of a gateway affects its status. A new gateway waits for it; a serving gateway falls back to keyword search while it
 * is unavailable.
 */
import type { VirtualMCPServerStatus } from '#schemas';
import type { PhaseResult } from './phase.ts';
import type { EmbeddingObservation, UntimedCondition } from './status-input.ts';

const TYPE = 'EmbeddingServerReady';

export function createEmbeddingCondition({ name, status }: EmbeddingObservation): UntimedCondition {
  const condition = (ok: UntimedCondition['status'], reason: string, message: string): UntimedCondition => ({
    type: TYPE,
    status: ok,
    reason,
    message,
  });
  if (status === undefined)
    return condition('False', 'EmbeddingServerNotFound', `EmbeddingServer ${name} does not exist`);
  const { phase = 'Pending', readyReplicas = 0, message } = status;
  if (phase === 'Ready' && readyReplicas > 0) {
    return condition('True', TYPE, `EmbeddingServer ${name} is ready`);
  }
  const why = message === undefined || message === '' ? '' : `: ${message}`;
  return condition('False', 'EmbeddingServerNotReady', `EmbeddingServer ${name} is ${phase}${why}`);
}

/** The status combined with that of its EmbeddingServer; the worse one wins. */
export function withEmbedding(
  verdict: PhaseResult,
  embedding: EmbeddingObservation | undefined,
  before: Pick<VirtualMCPServerStatus, 'phase'>,
): PhaseResult {
  if (embedding === undefined || verdict.phase === 'Failed') return verdict;
  const { status, reason, message } = createEmbeddingCondition(embedding);
  if (status === 'True') return verdict;
  const wrong = (phase: PhaseResult['phase'], text: string): PhaseResult => ({
    ...{ phase, message: text },
    ready: { type: 'Ready', status: 'False', reason, message: text },
  });
  const isServing = verdict.phase !== 'Pending' && (before.phase === 'Ready' || before.phase === 'Degraded');
  if (isServing) return wrong('Degraded', `Tools are found by keywords alone: ${message}`);
  const isLost = embedding.status === undefined || embedding.status.phase === 'Failed';
  return wrong(isLost ? 'Failed' : 'Pending', message);
}
