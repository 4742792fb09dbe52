/** Secrets of strategies: a reference to a Secret, or the name of a variable. */
import { ENV_PREFIX, type OAuthClientPlan, type SecretKeyRef, type SecretSource } from '#schemas';
import { toMountedSecret } from '../../resolve/mounted-secret.ts';
import type { Tracked } from '../../resolve/tracked.ts';

/** `literal`: in plain text. No bundle contains one, and a rule reports it. */
export type FoundSecret = SecretSource | 'literal' | undefined;

/** The purpose of a Secret's value, which names its variable outside of a cluster. */
export type SecretVariable =
  | 'BEARER_TOKEN'
  | 'DELEGATE_CLIENT_SECRET'
  | 'HEADER_INJECTION_VALUE'
  | 'OBO_CLIENT_SECRET'
  | 'SECRET_ENV'
  | 'SECRET_HEADER_FORWARD'
  | 'TOKEN_EXCHANGE_CLIENT_SECRET'
  | 'UPSTREAM_CLIENT_SECRET'
  | 'UPSTREAM_INITIAL_ACCESS_TOKEN'
  | 'XAA_IDP_CLIENT_SECRET'
  | 'XAA_TARGET_CLIENT_SECRET';

/** @param owners names that the variable is derived from, such as that of the MCPExternalAuthConfig */
export function lowerReferredSecret(
  ref: SecretKeyRef,
  variable: SecretVariable,
  ...owners: readonly string[]
): SecretSource {
  return toMountedSecret(ref, [`${ENV_PREFIX}${variable}`, ...owners.map(toEnvPart)].join('_'));
}

/** A secret of a strategy in `config.outgoingAuth`. Empty texts refer to nothing. */
export function lowerInlineSecret<E extends string, L extends string>(
  block: Tracked<{ readonly [K in E | L]?: string }>,
  envField: E,
  literalField: L,
): FoundSecret {
  const env = block.get(envField);
  if ((block.get(literalField) ?? '') !== '') return 'literal';
  return env === undefined || env === '' ? undefined : { env, file: null };
}

/** The gateway's OAuth client at a token endpoint; undefined unless both parts exist. */
export function lowerClient<I extends string, S extends string>(
  block: Tracked<{ readonly [K in I]?: string } & { readonly [K in S]?: unknown }>,
  idField: I,
  secretField: S,
  secret: SecretSource | undefined,
): OAuthClientPlan | null {
  const id = block.get(idField) as string | undefined;
  const hasId = id !== undefined && id !== '';
  if (hasId && secret !== undefined) return { id, secret };
  if (hasId) block.ignore(idField, `without a client secret (${secretField}) the gateway does not name itself`);
  if (secret !== undefined) block.ignore(secretField, `without ${idField} the gateway does not name itself`);
  return null;
}

function toEnvPart(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}
