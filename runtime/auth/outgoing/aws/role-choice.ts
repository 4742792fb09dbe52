/** Chooses a caller's role: that of the first mapping that matches the caller's claims, otherwise the fallback. */
import type { AwsRoleMappingPlan, AwsStsPlan } from '#schemas';
import type { Logger } from '../../../observe/log.ts';
import type { Claims, ClaimsMatcher } from '../../claims-matcher.ts';
import { CredentialError } from '../credential.ts';

export class RoleChoice {
  readonly #mappings: readonly { readonly matches: ClaimsMatcher; readonly roleArn: string }[];
  readonly #fallback: string | null;
  readonly #log: Logger;
  readonly #warned = new Set<number>();

  /** @param compile reads a CEL expression; called for `cel` mappings only */
  constructor(
    plan: Pick<AwsStsPlan, 'mappings' | 'fallbackRoleArn' | 'roleClaim'>,
    compile: (expression: string) => ClaimsMatcher,
    log: Logger,
  ) {
    this.#mappings = plan.mappings.map(mapping => ({
      matches: createMatcher(mapping, plan.roleClaim, compile),
      roleArn: mapping.roleArn,
    }));
    this.#fallback = plan.fallbackRoleArn;
    this.#log = log;
  }

  /**
   * The role's ARN. A mapping that cannot be evaluated grants no role, which is logged once.
   *
   * @throws CredentialError when no mapping matches and there is no fallback
   */
  chooseRole(claims: Claims): string {
    for (const [index, { matches, roleArn }] of this.#mappings.entries()) {
      const verdict = matches(claims);
      if (verdict === true) return roleArn;
      if (verdict !== false) this.#warn(index, roleArn, verdict.error);
    }
    if (this.#fallback !== null) return this.#fallback;
    throw new CredentialError(
      'gateway',
      'aws_sts: no role mapping matches the caller, and there is no fallbackRoleArn',
    );
  }

  #warn(index: number, roleArn: string, error: string): void {
    if (this.#warned.has(index)) return;
    this.#warned.add(index);
    this.#log.warn({ mapping: index, roleArn, error }, 'a role mapping was skipped, since it cannot be evaluated');
  }
}

function createMatcher(
  mapping: AwsRoleMappingPlan,
  roleClaim: string,
  compile: (expression: string) => ClaimsMatcher,
): ClaimsMatcher {
  if (mapping.type === 'cel') return compile(mapping.expression);
  const { value } = mapping;
  return claims => {
    const claim = Object.hasOwn(claims, roleClaim) ? claims[roleClaim] : undefined;
    if (Array.isArray(claim)) return claim.includes(value);
    return { error: `the claim ${JSON.stringify(roleClaim)} is ${claim === undefined ? 'missing' : 'no list'}` };
  };
}
