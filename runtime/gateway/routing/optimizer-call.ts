/** Calls of the optimizer's two tools, in either era. */
import { CALL_TOOL, FIND_TOOL } from '#schemas';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';
import type { RequestRecord } from '../../mcp/request-record.ts';
import type { Sender } from '../backends/sender.ts';
import { formatErrorResult, formatFoundTools } from '../optimizer/answers.ts';
import type { DefinitionForm, Optimizer } from '../optimizer/optimizer.ts';
import { readInnerCall, readToolQuery } from '../optimizer/read-call.ts';
import { createToolNotFound, ToolError } from '../optimizer/tool-error.ts';
import { getOfferedList } from './lists.ts';
import type { RoutingGateway } from './routing-gateway.ts';
import { type RequestTarget, readTarget } from './targets.ts';
import { toWireError } from './to-wire-error.ts';

/** What a call of one of the optimizer's tools needs. */
export interface OptimizedCall {
  readonly envelope: Envelope;
  readonly answer: ClientResponder;
  readonly sender: Sender;
  readonly record: RequestRecord | undefined;
  readonly form: DefinitionForm;
  /** Members at the front of every result, as JSON text without braces; undefined in sessions. */
  readonly common: string | undefined;
}

/** A call through `call_tool`. */
export interface OptimizerCall {
  /** The inner call, in the form in which its caller could have sent it itself. */
  readonly envelope: Envelope;
  /** Called when the tool does not exist, or not for this caller. */
  readonly isUnknown: () => void;
}

/**
 * Answers a call of `find_tool`, and returns the inner call of a `call_tool` call.
 * @returns undefined for an answered call
 * @throws WireError for a tool that is not listed
 */
export function takeCall(
  gateway: RoutingGateway,
  optimizer: Optimizer,
  call: OptimizedCall,
): OptimizerCall | undefined {
  const { envelope, answer, record, common } = call;
  const { optimizerCounts: counts } = gateway;
  try {
    switch (envelope.name?.value) {
      case FIND_TOOL:
        answer.optimizes?.({
          span: 'optimizer.FindTool',
          name: FIND_TOOL,
          ended: (errorType, seconds) => counts.findEnded(errorType, seconds),
        });
        void find(gateway, optimizer, call);
        return undefined;
      case CALL_TOOL: {
        let name: string | undefined;
        answer.optimizes?.({
          span: 'optimizer.CallTool',
          name: undefined,
          ended: (errorType, seconds) => counts.callEnded(name, errorType, seconds),
        });
        const inner = readInnerCall(envelope);
        record?.message(inner);
        name = inner.name?.value;
        const isUnknown = () => {
          name = undefined;
        };
        return { envelope: inner, isUnknown };
      }
    }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    answer.result(formatErrorResult(error.message, common));
    return undefined;
  }
  throw readTarget(envelope).unknown();
}

/** Answers with an error, or with a result when a model should read it. */
export function refuse(answer: ClientResponder, error: unknown, common?: string): void {
  if (error instanceof ToolError) answer.result(formatErrorResult(error.message, common));
  else answer.error(toWireError(error));
}

/** The target of a call through `call_tool`: a tool that does not exist is an error that a model should read. */
export function readOptimizerTarget({ envelope, isUnknown }: OptimizerCall): RequestTarget {
  const target = readTarget(envelope);
  return {
    ...target,
    unknown: () => {
      isUnknown();
      return createToolNotFound(target.member.value);
    },
  };
}

async function find(
  gateway: RoutingGateway,
  optimizer: Optimizer,
  { envelope, answer, sender, form, common }: OptimizedCall,
): Promise<void> {
  try {
    const query = readToolQuery(envelope);
    const list = await getOfferedList(gateway, 'tools', sender);
    const found = await optimizer.find(query, list, form, sender.identity);
    gateway.optimizerCounts.found(found);
    answer.result(formatFoundTools(found, common));
  } catch (error) {
    refuse(answer, error, common);
  }
}
