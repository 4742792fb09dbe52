/** The secrets of a credential: Secrets by name and key, environment variables by name. */
import type { ConfigOutgoingAuth, MCPExternalAuthConfigSpec } from '#schemas';
import type { SecretUse } from './exposure.ts';

type Strategy = NonNullable<ConfigOutgoingAuth['default']>;
type Use = SecretUse['use'];

export function secretsOfStrategy(strategy: Strategy): readonly SecretUse[] {
  const { headerInjection, tokenExchange, obo, xaa } = strategy;
  switch (strategy.type) {
    case 'header_injection':
      return inPlace('header value', headerInjection?.headerValueEnv, headerInjection?.headerValue);
    case 'token_exchange':
      return inPlace('client secret', tokenExchange?.clientSecretEnv, tokenExchange?.clientSecret);
    case 'obo':
      return inPlace('client secret', obo?.clientSecretEnv, obo?.clientSecret);
    case 'xaa':
      return [
        ...inPlace('client secret', xaa?.targetClientSecretEnv, xaa?.targetClientSecret),
        ...inPlace('client secret of the identity provider', xaa?.idpClientSecretEnv, xaa?.idpClientSecret),
      ];
    default:
      return [];
  }
}

export function secretsOfConfig(config: MCPExternalAuthConfigSpec): readonly SecretUse[] {
  switch (config.type) {
    case 'headerInjection':
      return referred('header value', config.headerInjection?.valueSecretRef);
    case 'bearerToken':
      return referred('token', config.bearerToken?.tokenSecretRef);
    case 'tokenExchange':
      return referred('client secret', config.tokenExchange?.clientSecretRef);
    case 'obo':
      return referred('client secret', config.obo?.clientSecretRef);
    case 'xaa':
      return [
        ...referred('client secret', config.xaa?.targetClientSecretRef),
        ...referred('client secret of the identity provider', config.xaa?.idpClientSecretRef),
      ];
    default:
      return [];
  }
}

function inPlace(use: Use, env: string | undefined, literal: string | undefined): readonly SecretUse[] {
  if (env !== undefined && env !== '') return [{ use, from: { type: 'env', name: env } }];
  return literal === undefined || literal === '' ? [] : [{ use, from: { type: 'literal' } }];
}

function referred(use: Use, ref: { readonly name: string; readonly key: string } | undefined): readonly SecretUse[] {
  return ref === undefined ? [] : [{ use, from: { type: 'secret', name: ref.name, key: ref.key } }];
}
