import type { CallerTest } from '../caller.ts';
import { cedarEntity, cedarString, guarded } from './cedar-text.ts';

/** A caller in Cedar: the principal of the policy's head, and the conditions to add to its `when`. */
export interface Principal {
  readonly head: string;
  readonly condition: string | undefined;
}

/** @param groupType entity type of groups */
export function toPrincipal(test: CallerTest, groupType: string): Principal {
  switch (test.type) {
    // A gateway that requires tokens admits only authenticated callers; an anonymous gateway refuses this test (see `distinguishesCallers`).
    case 'any':
    case 'authenticated':
      return { head: 'principal', condition: undefined };
    case 'group':
    case 'subject':
      return { head: condition(test, groupType), condition: undefined };
    default:
      return { head: 'principal', condition: condition(test, groupType) };
  }
}

/** Whether a test distinguishes callers, which requires a gateway that authenticates them. */
export function distinguishesCallers(test: CallerTest): boolean {
  if (test.type === 'any') return false;
  if (test.type === 'and') return test.tests.some(distinguishesCallers);
  if (test.type === 'or') return test.tests.every(distinguishesCallers);
  return true;
}

function condition(test: CallerTest, groupType: string): string {
  switch (test.type) {
    case 'any':
    case 'authenticated':
      return 'true';
    case 'group':
      return `principal in ${cedarEntity(groupType, test.value)}`;
    case 'subject':
      return `principal == ${cedarEntity('Client', test.value)}`;
    case 'claim': {
      const value = typeof test.value === 'string' ? cedarString(test.value) : `${test.value}`;
      return guarded('principal', `claim_${test.claim}`, claim => `${claim} == ${value}`);
    }
    case 'includes':
      return holds(test.claim, test.value);
    case 'scope':
      return holds('scope', test.value);
    case 'and':
      return test.tests.map(part => parenthesized(part, groupType)).join(' && ');
    case 'or':
      return test.tests.map(part => parenthesized(part, groupType)).join(' || ');
  }
}

function parenthesized(test: CallerTest, groupType: string): string {
  const text = condition(test, groupType);
  return test.type === 'group' || test.type === 'subject' ? text : `(${text})`;
}

/** The values of a claim as a set, from a list or from a space-separated text (RFC 6749, section 3.3). */
function holds(claim: string, value: string): string {
  return guarded('principal', `claimset_${claim}`, set => `${set}.contains(${cedarString(value)})`);
}
