import type { SecretSource, XaaConfig, XaaPlan, XaaStrategy } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { lowerClient, lowerInlineSecret, lowerReferredSecret } from './secrets.ts';

export function lowerInlineXaa(block: Tracked<XaaStrategy>, upstreams: readonly string[]): XaaPlan | undefined {
  const idp = lowerInlineSecret(block, 'idpClientSecretEnv', 'idpClientSecret');
  const target = lowerInlineSecret(block, 'targetClientSecretEnv', 'targetClientSecret');
  if (idp === 'literal' || target === 'literal') return undefined;
  return lowerXaa(block, ['idpClientSecretEnv', 'targetClientSecretEnv'], { idp, target }, upstreams);
}

export function lowerReferredXaa(
  block: Tracked<XaaConfig>,
  config: string,
  upstreams: readonly string[],
): XaaPlan | undefined {
  const idpRef = block.get('idpClientSecretRef');
  const targetRef = block.get('targetClientSecretRef');
  const idp = idpRef && lowerReferredSecret(idpRef, 'XAA_IDP_CLIENT_SECRET', config);
  const target = targetRef && lowerReferredSecret(targetRef, 'XAA_TARGET_CLIENT_SECRET', config);
  return lowerXaa(block, ['idpClientSecretRef', 'targetClientSecretRef'], { idp, target }, upstreams);
}

type XaaBlock = Omit<
  XaaStrategy,
  'idpClientSecret' | 'idpClientSecretEnv' | 'targetClientSecret' | 'targetClientSecretEnv'
>;

interface Secrets {
  readonly idp: SecretSource | undefined;
  readonly target: SecretSource | undefined;
}

/** Undefined when no upstream is named and there is not exactly one. */
function lowerXaa<S extends string>(
  block: Tracked<XaaBlock & { readonly [K in S]?: unknown }>,
  [idpSecret, targetSecret]: readonly [S, S],
  secrets: Secrets,
  upstreams: readonly string[],
): XaaPlan | undefined {
  // Rules check both: the subject is always an ID token, and the URL is https unless plain http is allowed explicitly.
  block.get('subjectTokenType');
  block.get('insecureTargetTokenUrl');
  const plan = {
    type: 'xaa',
    idp: { tokenUrl: block.get('idpTokenUrl'), client: lowerClient(block, 'idpClientId', idpSecret, secrets.idp) },
    target: {
      tokenUrl: block.get('targetTokenUrl'),
      client: lowerClient(block, 'targetClientId', targetSecret, secrets.target),
      audience: block.get('targetAudience'),
      resource: block.get('targetResource') || null,
    },
    scopes: block.get('scopes') ?? [],
  } as const;
  const provider = block.get('subjectProviderName') || (upstreams.length === 1 ? upstreams[0] : undefined);
  return provider === undefined ? undefined : { ...plan, provider };
}
