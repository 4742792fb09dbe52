import type { AccessAnswer, Reason } from '../answer.ts';
import { namePolicy, type PlacedError } from '../policies.ts';
import { formatAnswer } from './answer-lines.ts';

const VERBS = { call_tool: 'call', get_prompt: 'get prompt', read_resource: 'read' } as const;

/** Text output: the decision on one line, the policies that decided below it. */
export function renderAnswerText(answer: AccessAnswer): string {
  const { gateway, caller, action, name, decision, reason, notes } = answer;
  const what = `${VERBS[action]} ${name} of ${gateway.namespace}/${gateway.name}`;
  return formatAnswer({ caller, what, decision }, listCauses(reason), notes);
}

function listCauses(reason: Reason): readonly string[] {
  switch (reason.type) {
    case 'permit':
      return reason.policies.map(policy => `${namePolicy(policy)} permits it`);
    case 'no-policies':
      return ['the gateway has no policies: every caller that it accepts may do everything'];
    case 'no-permit':
      return ['no policy permits it'];
    case 'forbid':
      return reason.policies.map(policy => `${namePolicy(policy)} forbids it`);
    case 'policy-error':
      return reason.errors.map(formatError);
    case 'not-admitted':
      return reason.causes.map(cause => `the gateway refuses the caller: ${cause}`);
    case 'refused-arguments':
      return [`the gateway refuses the arguments before it asks policies: ${reason.cause}`];
    case 'withheld':
    case 'unknown':
      return [reason.cause];
  }
}

function formatError({ policy, message }: PlacedError): string {
  if (policy === undefined) return `the policies cannot decide about it, so it is denied: ${message}`;
  return `${namePolicy(policy)} cannot be evaluated, so the request is denied: ${message}`;
}
