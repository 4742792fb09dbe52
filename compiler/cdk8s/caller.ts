/** The callers that a grant is for. Plain data; `grants/principal.ts` writes it in Cedar. */
export type CallerTest =
  | { readonly type: 'any' | 'authenticated' }
  | { readonly type: 'group' | 'subject' | 'scope'; readonly value: string }
  | { readonly type: 'claim'; readonly claim: string; readonly value: string | number | boolean }
  | { readonly type: 'includes'; readonly claim: string; readonly value: string }
  | { readonly type: 'and' | 'or'; readonly tests: readonly CallerTest[] };

/**
 * Those to whom something is granted or forbidden.
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
   * Members of a group, as the token names it: in the claim that `groups` of incoming authentication says, or else in the first of
   * `groups`, `roles` and `cognito:groups` that the token has, which has to be a list. Who has groups is not asked for roles:
   * `groups: { roleClaim: 'roles' }` makes holders of roles members too.
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
   * Those whose token has a claim of this value.
   *
   * @throws RangeError for a number that is not a safe integer: policies know no others
   */
  static claim(claim: string, value: string | number | boolean): Caller {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw new RangeError(`claim "${claim}": policies compare integers only, not ${value}`);
    }
    return new Caller({ type: 'claim', claim, value });
  }

  /**
   * Those whose token has a claim with this text in it: among others in a list, or as a word of a text that separates words by spaces.
   */
  static claimIncludes(claim: string, value: string): Caller {
    return new Caller({ type: 'includes', claim, value });
  }

  /**
   * Those whose token has a scope, in the `scope` claim of RFC 9068, or in a list of that name.
   *
   * @throws RangeError for what cannot be a scope (RFC 6749 appendix A.4)
   */
  static scope(scope: string): Caller {
    if (!isScope(scope)) throw new RangeError(`${JSON.stringify(scope)} is not a scope`);
    return new Caller({ type: 'scope', value: scope });
  }

  /** Those for whom the others hold too. */
  and(...others: readonly [Caller, ...Caller[]]): Caller {
    return new Caller({ type: 'and', tests: [this, ...others].map(({ test }) => test) });
  }

  /** Those for whom this or one of the others holds. */
  or(...others: readonly [Caller, ...Caller[]]): Caller {
    return new Caller({ type: 'or', tests: [this, ...others].map(({ test }) => test) });
  }

  /** For those who read it. */
  get test(): CallerTest {
    return this.#test;
  }
}

export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text);
}
