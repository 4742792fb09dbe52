import type { CallerTest } from '../caller.ts';
import type { Policy } from './policy.ts';

const VERBS = { tools: 'call', prompts: 'get', resources: 'read', everything: 'everything' } as const;

/** Maximum length of the callers in an id, in characters: ids appear in tables and messages. */
const MAX_CALLER = 60;

/** The id of a policy in findings and answers, such as `eng-call` or `forbid-anyone-call`. */
export function policyId({ effect, caller, subject }: Pick<Policy, 'effect' | 'caller' | 'subject'>): string {
  const id = `${callerText(caller).slice(0, MAX_CALLER)}-${VERBS[subject.type]}`;
  return (effect === 'forbid' ? `forbid-${id}` : id).replace(/[^\w.:=@+-]+/g, '_');
}

function callerText(test: CallerTest): string {
  switch (test.type) {
    case 'any':
      return 'anyone';
    case 'authenticated':
      return 'signed-in';
    case 'group':
    case 'subject':
    case 'scope':
      return test.value;
    case 'claim':
    case 'includes':
      return `${test.claim}=${test.value}`;
    case 'and':
      return test.tests.map(callerText).join('+');
    case 'or':
      return test.tests.map(callerText).join('-or-');
  }
}
