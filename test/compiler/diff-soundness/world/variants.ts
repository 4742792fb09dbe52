/**
 * Callers that policies could distinguish by their claims: the users of a company, and combinations of names, of groups in each claim that may
 * list them, and of claims that conditions read. All combinations, or a random part if there are too many.
 */
import type { AuthorizationPlan } from '#schemas';
import {
  ANONYMOUS,
  type AuthenticatedCaller,
  createIdentity,
  type Identity,
} from '../../../../runtime/auth/identity.ts';
import { createRandom } from '../random.ts';
import { PEOPLE } from './callers.ts';

type Claims = Readonly<Record<string, unknown>>;

const SUBJECTS = ['ada', 'dan', 'bot', 'mia', 'rob'];
const SOMEONE = 'zoe';
const GROUPS = ['admins', 'dev', 'interns', 'leads', 'ghosts'];
const DEPARTMENTS = ['research', 'sales'];
/** Claims that may list groups, each with the claims in which it is nested. */
const GROUP_CLAIMS: Readonly<Record<string, (groups: readonly string[]) => Claims>> = {
  groups: groups => ({ groups }),
  teams: groups => ({ teams: groups }),
  roles: groups => ({ roles: groups }),
  'realm.roles': groups => ({ realm: { roles: groups } }),
};
const SAMPLE_SEED = 1;

/**
 * @param plans of both sides, so that both get the same callers
 * @param limit most combinations
 */
export function listVariants(plans: readonly AuthorizationPlan[], limit: number): readonly Claims[] {
  const text = JSON.stringify(plans);
  const named = (names: readonly string[]) => names.filter(name => text.includes(name));
  const groups = subsets(named(GROUPS));
  const claims = plans.flatMap(plan => (plan.engine === 'cedar' ? [...plan.groupClaims, plan.roleClaim] : []));
  const choices: readonly (readonly Claims[])[] = [
    [...named(SUBJECTS), SOMEONE].map(sub => ({ sub })),
    [{}, ...(text.includes('claim_dept') ? DEPARTMENTS.map(dept => ({ dept })) : [])],
    ...Object.entries(GROUP_CLAIMS)
      .filter(([claim]) => claims.includes(claim))
      .map(([, claimsOf]) => [{}, ...groups.map(claimsOf)]),
  ];
  const count = choices.reduce((product, { length }) => product * length, 1);
  const random = createRandom(SAMPLE_SEED);
  const numbers =
    count <= limit
      ? Array.from({ length: count }, (_, at) => at)
      : Array.from({ length: limit }, () => random.below(count));
  const people = Object.entries(PEOPLE).map(([sub, claims]) => ({ sub, ...claims }));
  return [...people, ...numbers.map(number => combination(choices, number))];
}

function combination(choices: readonly (readonly Claims[])[], number: number): Claims {
  let [left, all]: [number, Claims] = [number, {}];
  for (const choice of choices) {
    all = { ...all, ...choice[left % choice.length] };
    left = Math.floor(left / choice.length);
  }
  return all;
}

function subsets(names: readonly string[]): readonly (readonly string[])[] {
  const numbers = Array.from({ length: 2 ** names.length }, (_, at) => at);
  return numbers.map(number => names.filter((_, at) => (number & (1 << at)) !== 0));
}

const OWN_CLAIMS = new Set(['sub', ...Object.values(PEOPLE).flatMap(claims => Object.keys(claims))]);

/** A caller with other claims that was authenticated in the same way. */
export function createVariant({ caller }: Identity, claims: Claims): Identity {
  if (caller === undefined) return ANONYMOUS;
  const others = Object.entries(caller.claims).filter(([name]) => !OWN_CLAIMS.has(name));
  const all = { ...Object.fromEntries(others), ...claims };
  const variant: AuthenticatedCaller = { ...caller, subject: String(claims.sub), claims: all };
  return createIdentity(variant);
}
