import type { ClientResponder, ObservedRun, StartedRun } from '../../mcp/handler.ts';
import type { CallTrace, RunTrace } from './tracing.ts';

/** Measures the call of a step: its answer, the client's name of the tool, and the trace that it belongs to. */
type MeasureCall = (answer: ClientResponder, tool: string, trace: CallTrace | undefined) => ClientResponder;

/** Measures the tool calls of a workflow's run as calls to backends. The run itself is measured as the client's call of the workflow. */
export class ObservedWorkflow implements ObservedRun {
  readonly #trace: RunTrace | undefined;
  readonly #handedOn: CallTrace | undefined;
  readonly #measure: MeasureCall;

  constructor({ trace: context }: StartedRun, trace: RunTrace | undefined, measure: MeasureCall) {
    this.#trace = trace;
    this.#handedOn = context && { exemplar: undefined, sentTo: () => context, end: () => {} };
    this.#measure = measure;
  }

  stepStarted(step: string, type: string): void {
    this.#trace?.stepStarted(step, type);
  }

  stepEnded(...end: Parameters<ObservedRun['stepEnded']>): void {
    this.#trace?.stepEnded(...end);
  }

  call(step: string, tool: string, answer: ClientResponder): ClientResponder {
    return this.#measure(answer, tool, this.#trace === undefined ? this.#handedOn : this.#trace.call(step));
  }

  ended(...end: Parameters<ObservedRun['ended']>): void {
    this.#trace?.ended(...end);
  }
}
