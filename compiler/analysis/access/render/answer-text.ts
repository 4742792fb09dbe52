import { escapeUnprintable } from '../../../diagnostics/render/printable.ts';
import type { AccessAnswer, Reason } from '../answer.ts';
import { namePolicy, type PlacedError } from '../policies.ts';

const VERBS = { call_tool: 'call', get_prompt: 'get prompt', read_resource: 'read' } as const;

/** Text output: the decision on one line, the policies that decided below it. */
export function renderAnswerText(answer: AccessAnswer): string {
  const { gateway, caller, action, name, decision, reason, notes } = answer;
  const what = `${VERBS[action]} ${name} of ${gateway.namespace}/${gateway.name}`;
  const head = {
    allowed: `allowed: ${caller} may ${what}`,
    denied: `denied: ${caller} may not ${what}`,
    undecided: `undecided: whether ${caller} may ${what}`,
  }[decision];
  const lines = [...listCauses(reason), ...notes.map(note => `note: ${note}`)];
  return [head, ...lines.map(line => `  ${line.replace(/\s*\n\s*/g, ' ')}`)]
    .map(line => `${escapeUnprintable(line)}\n`)
    .join('');
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
