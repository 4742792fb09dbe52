/** The status of one reconcile: all writes go through this class. */

import type { GatewaySourceStatus } from '#schemas';
import type { CompileOutcome } from '../compile/index.ts';
import {
  computeSourceStatus,
  findCondition,
  findOutcome,
  type Reason,
  type SourceState,
  type SourceStatusInput,
} from '../status/index.ts';
import type { Checkout, ObservedSource, ReconcileContext } from './context.ts';

export type StatusInput = Omit<SourceStatusInput, 'generation' | 'now' | 'state'>;

/** Unites two inputs. Members of the second one replace those of the first; steps are replaced by name. */
export function mergeStatusInput(statusInput: StatusInput, later: StatusInput): StatusInput {
  return { ...statusInput, ...later, steps: { ...statusInput.steps, ...later.steps } };
}

export class StatusWriter {
  readonly #source: ObservedSource;
  readonly #context: ReconcileContext;
  readonly #started: number;
  #status: GatewaySourceStatus;

  constructor(source: ObservedSource, context: ReconcileContext) {
    this.#source = source;
    this.#context = context;
    this.#started = context.monotonicNow();
    this.#status = source.status ?? {};
  }

  get status(): GatewaySourceStatus {
    return this.#status;
  }

  /** Writes the progress of the reconcile before a step that takes time or has lasting effects. */
  async progress(message: string, statusInput: StatusInput, signal: AbortSignal): Promise<void> {
    await this.#write({ state: 'progressing', reason: 'Progressing', message }, statusInput, signal);
  }

  /**
   * The final status of a reconcile. The history lists attempts.
   * @param hasChanged whether anything was applied
   */
  async settle(
    state: SourceState,
    statusInput: StatusInput,
    tried: { readonly tree: Checkout; readonly outcome: CompileOutcome } | undefined,
    hasChanged: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const before = this.#source.status ?? {};
    const attempt = tried && {
      revision: tried.tree.revision,
      digest: tried.outcome.digest,
      reason: state.reason as Reason,
      durationMs: this.#context.monotonicNow() - this.#started,
      verifiedBy: tried.tree.verifiedBy,
    };
    const [newest] = before.history ?? [];
    const isKnown = newest?.revision === attempt?.revision && newest?.digest === attempt?.digest;
    const isNewAttempt = attempt !== undefined && (!isKnown || newest?.status !== attempt.reason || hasChanged);
    await this.#write(state, { ...statusInput, ...(isNewAttempt && { attempt }) }, signal);
    this.#announce(before);
  }

  async posted(posted: string | undefined, signal: AbortSignal): Promise<void> {
    if (posted === undefined || posted === this.#status.lastPosted) return;
    this.#status = { ...this.#status, lastPosted: posted };
    await this.#context.store.write(this.#source, this.#status, signal);
  }

  async #write(state: SourceState, statusInput: StatusInput, signal: AbortSignal): Promise<void> {
    const generation = this.#source.metadata.generation ?? 0;
    const now = new Date(this.#context.now());
    this.#status = computeSourceStatus({ ...statusInput, generation, now, state }, this.#status);
    await this.#context.store.write(this.#source, this.#status, signal);
  }

  /** Emits events about changes, once. */
  #announce(before: GatewaySourceStatus): void {
    const outdated = findCondition(this.#status.conditions ?? [], 'DefinitionsOutdated');
    const wasReported = findCondition(before.conditions ?? [], 'DefinitionsOutdated')?.message === outdated?.message;
    if (outdated !== undefined && !wasReported)
      this.#context.events.add(this.#source, 'Warning', outdated.reason as Reason, outdated.message);
    const then = findOutcome(before.conditions ?? []);
    const now = findOutcome(this.#status.conditions ?? []);
    if (now === undefined || now.reason === 'Progressing') return;
    if (then?.status === now.status && then.reason === now.reason && then.message === now.message) return;
    const isGood = now.status === 'True' || now.reason === 'Suspended';
    this.#context.events.add(this.#source, isGood ? 'Normal' : 'Warning', now.reason as Reason, now.message);
  }
}
