/** Which secret a gateway sends to which host. */

import type { BackendPlan, MCPServerEntrySpec, SecretSource, VirtualMCPServerSpec } from '#schemas';
import { getMember } from '#schemas';
import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import { findMainContainer } from '../../analysis/pods/main-container.ts';
import type { Resource } from '../../resolve/inventory.ts';
import { findMountedSecret, type SecretKey } from '../../resolve/mounted-secret.ts';
import type { ObjectLocation } from '../../resolve/related-location.ts';
import { locateCredential } from './locate-credential.ts';
import { parseHost } from './parse-host.ts';

export interface SentSecret {
  readonly gateway: Resource;
  /** A description that identifies the secret within a namespace: `key "k" of Secret "s"`, or `the variable "V"`. */
  readonly secret: string;
  /** A variable of unknown origin may be a different secret in each pod. */
  readonly isVariable: boolean;
  readonly host: string;
  /** Where the secret was configured. */
  readonly location: ObjectLocation;
}

/** In the order of the backends. */
export function listSentSecrets(gateway: GatewayModel): readonly SentSecret[] {
  return gateway.backends.flatMap(backend => [
    ...listCredentialSecrets(backend.plan).map(([source, url]) =>
      toShownSecret(gateway, source, url, locateCredential(gateway, backend)),
    ),
    ...backend.plan.headers.flatMap(({ name, value }) =>
      value.type === 'secret'
        ? [toShownSecret(gateway, value.from, backend.plan.url, locateHeader(backend, name))]
        : [],
    ),
  ]);
}

function toShownSecret(
  { resource }: GatewayModel,
  source: SecretSource,
  url: string,
  location: ObjectLocation,
): SentSecret {
  const key = findMountedSecret(source) ?? findVariableSecret(resource, source.env);
  const secret = key === null ? `the variable "${source.env}"` : `key "${key.key}" of Secret "${key.name}"`;
  return { gateway: resource, secret, isVariable: key === null, host: parseHost(url), location };
}

/** The secrets of a credential, with the URL to which each is sent. */
function listCredentialSecrets({ url, auth }: BackendPlan): readonly (readonly [SecretSource, string])[] {
  switch (auth.type) {
    case 'header_injection':
      return [[auth.value, url]];
    case 'token_exchange':
    case 'obo':
      return auth.client === null ? [] : [[auth.client.secret, auth.tokenUrl]];
    case 'xaa':
      return [auth.idp, auth.target].flatMap(({ client, tokenUrl }) =>
        client === null ? [] : [[client.secret, tokenUrl] as const],
      );
    case 'aws_sts':
    case 'unauthenticated':
    case 'upstream_inject':
      return [];
  }
}

/** Points to a reference to a Secret, never to the line of a plain header, which contains the value. */
function locateHeader({ origin: { resource } }: BackendModel, header: string): ObjectLocation {
  const { headerForward } = resource.spec as Pick<MCPServerEntrySpec, 'headerForward'>;
  const index = headerForward?.addHeadersFromSecret?.findIndex(({ headerName }) => headerName === header) ?? 0;
  return { resource, path: ['spec', 'headerForward', 'addHeadersFromSecret', index, 'valueSecretRef'] };
}

/** The Secret that a gateway's pod template reads a variable from. */
function findVariableSecret({ kind, spec }: Resource<VirtualMCPServerSpec>, variable: string | null): SecretKey | null {
  const containers = toItems(getMember(getMember(spec.podTemplateSpec, 'spec'), 'containers'));
  const main = containers.find(container => getMember(container, 'name') === findMainContainer(kind));
  const entry = toItems(getMember(main, 'env')).find(item => getMember(item, 'name') === variable);
  const ref = getMember(getMember(entry, 'valueFrom'), 'secretKeyRef');
  const [name, key] = [getMember(ref, 'name'), getMember(ref, 'key')];
  return typeof name === 'string' && typeof key === 'string' ? { name, key } : null;
}

function toItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
