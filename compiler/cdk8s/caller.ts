/** The callers of a grant as plain data; `grants/principal.ts` converts them to Cedar. */
export type CallerTest =
  | { readonly type: 'any' | 'authenticated' }
  | { readonly type: 'group' | 'subject' | 'scope'; readonly value: string }
  | { readonly type: 'claim'; readonly claim: string; readonly value: string | number | boolean }
  | { readonly type: 'includes'; readonly claim: string; readonly value: string }
  | { readonly type: 'and' | 'or'; readonly tests: readonly CallerTest[] };

/**
 * The callers of a grant or a prohibition.
 *
 * @example
 * gateway.grant(Caller.group('eng').and(Caller.scope('tools:write'))).call(github.tools.create_issue);
 */
export class Caller {
  readonly #test: CallerTest;

  private constructor(test: CallerTest) {
    this.#test = test;
  }

  /** Every caller that incoming authentication admits; with an anonymous gateway all callers. */
  static any(): Caller {
    return new Caller({ type: 'any' });
  }

  /** Every authenticated caller. */
  static authenticated(): Caller {
    return new Caller({ type: 'authenticated' });
  }

  /**
   * Members of a group, by the name in the token: in the claim that incoming authentication's `groups` names, otherwise in the first of
   * `groups`, `roles` and `cognito:groups` that the token has, which must be a list. Roles are not read for a caller who has groups; with
   * `groups: { roleClaim: 'roles' }` holders of a role count as members too.
   *
   * @throws RangeError for an empty name
   */
  static group(name: string): Caller {
    if (name === '') throw new RangeError('the name of a group is empty');
    return new Caller({ type: 'group', value: name });
  }

  /**
   * One caller, by the `sub` of the token.
   *
   * @throws RangeError for an empty one, which no token has
   */
  static subject(sub: string): Caller {
    if (sub === '') throw new RangeError('the subject is empty');
    return new Caller({ type: 'subject', value: sub });
  }

  /**
   * Callers whose token has a claim with this value.
   *
   * @throws RangeError for a number that is not a safe integer: policies support no others
   */
  static claim(claim: string, value: string | number | boolean): Caller {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw new RangeError(`claim "${claim}": policies compare integers only, not ${value}`);
    }
    return new Caller({ type: 'claim', claim, value });
  }

  /** Callers whose token has a claim that contains this text: as an item of a list, or as a word of a space-separated text. */
  static claimIncludes(claim: string, value: string): Caller {
    return new Caller({ type: 'includes', claim, value });
  }

  /**
   * Callers whose token has a scope, in the `scope` claim of RFC 9068, or in a list of that name.
   *
   * @throws RangeError for what cannot be a scope (RFC 6749 appendix A.4)
   */
  static scope(scope: string): Caller {
    if (!isScope(scope)) throw new RangeError(`${JSON.stringify(scope)} is not a scope`);
    return new Caller({ type: 'scope', value: scope });
  }

  /** Callers to whom the other conditions apply as well. */
  and(...others: readonly [Caller, ...Caller[]]): Caller {
    return new Caller({ type: 'and', tests: [this, ...others].map(({ test }) => test) });
  }

  /** Callers to whom this or one of the other conditions applies. */
  or(...others: readonly [Caller, ...Caller[]]): Caller {
    return new Caller({ type: 'or', tests: [this, ...others].map(({ test }) => test) });
  }

  /** For internal use: the condition as plain data. */
  get test(): CallerTest {
    return this.#test;
  }
}

export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text);
}
