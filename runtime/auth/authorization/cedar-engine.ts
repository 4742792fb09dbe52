import type { AuthorizationAnswer, EntityJson, PolicySet } from '@cedar-policy/cedar-wasm/nodejs';
import type { CedarPlan } from '#schemas';
import { type CedarReads, type CedarRequest, type NamedArguments, readCedarUses, toNamedArguments } from '#shared/plan';
import { type Cedar, createCedar } from './load-cedar.ts';

/** Invalid policies; the message names the policy and the error. */
export class PolicyError extends Error {
  readonly code = 'ERR_POLICY';
  constructor(message: string) {
    super(message);
    this.name = 'PolicyError';
  }
}

/**
 * `calls`: the policies themselves. `lists`: their variant for lists, in which conditions on arguments have the result that favours the caller;
 * it exists only if some policy reads arguments.
 */
export type PolicySetName = 'calls' | 'lists';

/** Cedar with the policies of one bundle, parsed once. */
export class CedarEngine {
  readonly #sets: ReadonlyMap<PolicySetName, PolicySet>;
  #cedar: Cedar | undefined;
  /** The claims, arguments and other attributes that the policies read. */
  readonly reads: CedarReads;
  /** The arguments that the policies read by name. */
  readonly named: NamedArguments;

  /** @throws PolicyError */
  constructor(plan: CedarPlan) {
    this.#sets = buildPolicySets(plan);
    const cedar = createCedar();
    check(cedar, plan);
    this.reads = computeReads(cedar, plan);
    this.named = toNamedArguments(this.reads);
    this.#cedar = this.#prepareCedar(cedar);
  }

  /** Cedar's answer; undefined if Cedar fails on the request twice. */
  ask(set: PolicySetName, request: CedarRequest): AuthorizationAnswer | undefined {
    // After a failure, a new instance of Cedar tries again, because an earlier request may have damaged the memory of the old instance.
    return this.#attempt(set, request) ?? this.#attempt(set, request);
  }

  #attempt(set: PolicySetName, { entities, ...request }: CedarRequest): AuthorizationAnswer | undefined {
    this.#cedar ??= this.#prepareCedar(createCedar());
    try {
      return this.#cedar.statefulIsAuthorized({
        ...(request as Pick<
          Parameters<Cedar['statefulIsAuthorized']>[0],
          'principal' | 'action' | 'resource' | 'context'
        >),
        entities: entities as unknown as EntityJson[],
        preparsedPolicySetId: set,
      });
    } catch {
      this.#cedar = undefined;
      return undefined;
    }
  }

  #prepareCedar(cedar: Cedar): Cedar {
    for (const [name, set] of this.#sets) {
      const answer = cedar.preparsePolicySet(name, set);
      if (answer.type !== 'success')
        throw new PolicyError(`the policies cannot be read: ${formatErrors(answer.errors)}`);
    }
    return cedar;
  }
}

function buildPolicySets({ policies }: CedarPlan): ReadonlyMap<PolicySetName, PolicySet> {
  const buildSet = (joinMessages: (policy: CedarPlan['policies'][number]) => string): PolicySet => ({
    staticPolicies: Object.fromEntries(policies.map(policy => [policy.id, joinMessages(policy)])),
  });
  const sets = new Map<PolicySetName, PolicySet>([['calls', buildSet(({ text }) => text)]]);
  if (policies.some(({ listText }) => listText !== undefined))
    sets.set(
      'lists',
      buildSet(({ text, listText }) => listText ?? text),
    );
  return sets;
}

/** Each text must be exactly one policy, and their number must match: a lost `forbid` would permit what it forbids. */
function check(cedar: Cedar, { policies, policyCount, entities }: CedarPlan): void {
  if (policyCount < 1)
    throw new PolicyError(
      'there are no policies, so every request would be denied; add a policy, or build the bundle without authorization',
    );
  const ids = new Set(policies.map(({ id }) => id));
  if (ids.size !== policyCount || policies.length !== policyCount) {
    throw new PolicyError(`the bundle announces ${policyCount} policies and has ${ids.size}; build it again`);
  }
  for (const { id, name, text, listText } of policies) {
    for (const policy of listText === undefined ? [text] : [text, listText]) {
      const problem = findProblem(() => cedar.checkParsePolicySet({ staticPolicies: { [id]: policy } }));
      if (problem !== undefined) throw new PolicyError(`policy "${name}" (${id}) cannot be read: ${problem}`);
    }
  }
  const problem = findProblem(() => cedar.checkParseEntities({ entities: entities as unknown as EntityJson[] }));
  if (problem !== undefined) throw new PolicyError(`the entities cannot be read: ${problem}`);
}

function computeReads(cedar: Cedar, { policies }: CedarPlan): CedarReads {
  const answers = policies
    .flatMap(({ text, listText = text }) => [text, listText])
    .map(text => cedar.policyToJson(text));
  const parsed = answers.flatMap(answer => (answer.type === 'success' ? [answer.json] : []));
  return parsed.length === answers.length ? readCedarUses(parsed) : undefined;
}

function findProblem(parse: () => ReturnType<Cedar['checkParsePolicySet']>): string | undefined {
  try {
    const answer = parse();
    return answer.type === 'success' ? undefined : formatErrors(answer.errors);
  } catch {
    return 'Cedar fails to read it; it may be nested too deeply';
  }
}

function formatErrors(errors: readonly { readonly message: string }[]): string {
  return errors.map(({ message }) => message).join('; ');
}
