/**
 * The credential that a backend needs before it lists its tools. Lintel can send static headers whose values it has, and fetch a token for the
 * gateway's own account; every other credential is a caller's, so the operator has to give a token on the command line.
 */
import type { BackendPlan, OutgoingAuthPlan, SecretSource, TokenExchangePlan } from '#schemas';
import type { Resource } from '../../resolve/inventory.ts';

export type Credential =
  | { readonly type: 'headers'; readonly headers: readonly StaticHeader[]; readonly account?: Account }
  /** `reason` continues the sentence "its credential is not static: …". */
  | { readonly type: 'other'; readonly reason: string };

/** An account of the gateway itself; `env` has its secret. */
export interface Account {
  readonly plan: TokenExchangePlan;
  readonly env: string;
}

export interface StaticHeader {
  readonly name: string;
  readonly value: { readonly literal: string } | { readonly env: string };
  /** Whether the value comes from a Secret; false for a value that is plain text in the spec. */
  readonly isSecret: boolean;
}

/**
 * @param described the object that describes the backend: a workload, or the gateway with an inline backend
 * @param isFront whether the gateway belongs to the workload itself and authenticates callers in front of it
 */
export function resolveCredential({ auth, headers }: BackendPlan, described: Resource, isFront: boolean): Credential {
  const account = findAccount(auth);
  if (account === undefined && auth.type !== 'unauthenticated' && auth.type !== 'header_injection') {
    return { type: 'other', reason: auth.type };
  }
  const own = auth.type === 'header_injection' ? [toSecretHeader(auth.header, auth.value)] : [];
  const { oidcConfigRef } = described.spec as { readonly oidcConfigRef?: object };
  if (!isFront && oidcConfigRef !== undefined && own.length === 0 && account === undefined) {
    return { type: 'other', reason: 'it authenticates its callers (spec.oidcConfigRef)' };
  }
  const taken = new Set([...own.map(({ name }) => name.toLowerCase()), ...(account ? ['authorization'] : [])]);
  const forwarded = headers
    .filter(({ name }) => !taken.has(name.toLowerCase()))
    .map(({ name, value }) =>
      value.type === 'secret'
        ? toSecretHeader(name, value.from)
        : { name, value: { literal: value.text }, isSecret: false },
    );
  return { type: 'headers', headers: [...own, ...forwarded], ...(account && { account }) };
}

/** A client with a secret can also get a token of its own, besides exchanging tokens. */
function findAccount(auth: OutgoingAuthPlan): Account | undefined {
  if (auth.type !== 'token_exchange' || auth.client === null) return undefined;
  return { plan: auth, env: auth.client.secret.env ?? '' };
}

/** The environment variable in which the gateway's own process reads the value. */
function toSecretHeader(name: string, { env }: SecretSource): StaticHeader {
  return { name, value: { env: env ?? '' }, isSecret: true };
}
