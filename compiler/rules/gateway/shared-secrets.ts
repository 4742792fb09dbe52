import type { BackendPlan, SecretSource } from '#schemas';
import { listed } from '../../check/describe.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { BackendModel, GatewayModel } from '../../gateway/model.ts';
import { secretMountedAt } from '../../lower/mounted-secret.ts';
import { diagnose } from '../../resolve/diagnose.ts';
import { relatedPlace } from '../../resolve/related-place.ts';
import { credentialSpot } from './credential-spot.ts';
import { hostOf } from './host-of.ts';

/** A secret and the host that gets to see it. */
interface Shown {
  readonly source: SecretSource;
  readonly host: string;
  readonly backend: BackendModel;
}

/** Who is shown a secret can use it wherever else it is valid: two hosts do not share one. */
export function sharedSecrets(gateway: GatewayModel): Diagnostic[] {
  const shown = gateway.backends.flatMap(backend =>
    secretsShown(backend.plan).map(([source, url]) => ({ source, host: hostOf(url), backend })),
  );
  const bySecret = Map.groupBy(shown, ({ source }) => source.file ?? `$${source.env}`);
  return [...bySecret.values()].flatMap(uses => report(gateway, uses));
}

function report(gateway: GatewayModel, uses: readonly Shown[]): Diagnostic[] {
  const hosts = [...new Set(uses.map(({ host }) => host))].sort();
  const [first, ...others] = uses;
  if (hosts.length < 2 || first === undefined) return [];
  const { resource, path } = credentialSpot(gateway, first.backend);
  const related = others
    .map(({ backend }) => credentialSpot(gateway, backend))
    .filter(spot => spot.resource !== resource || spot.path.join('/') !== path.join('/'))
    .map(spot => relatedPlace('the same secret', spot));
  const message = `${secretText(first.source)} is shown to ${listed(hosts)}: each can use it at the others`;
  return [diagnose(resource.document, 'LNT6018', path, message, { related })];
}

/** The secrets of a backend with the URL to which each is sent. */
function secretsShown({ url, auth, headers }: BackendPlan): readonly (readonly [SecretSource, string])[] {
  const forwarded = headers.flatMap(({ value }) => (value.type === 'secret' ? [[value.from, url] as const] : []));
  switch (auth.type) {
    case 'header_injection':
      return [[auth.value, url], ...forwarded];
    case 'token_exchange':
    case 'obo':
      return [...(auth.client === null ? [] : [[auth.client.secret, auth.tokenUrl] as const]), ...forwarded];
    case 'xaa':
      return [
        ...[auth.idp, auth.target].flatMap(({ client, tokenUrl }) =>
          client === null ? [] : [[client.secret, tokenUrl] as const],
        ),
        ...forwarded,
      ];
    default:
      return forwarded;
  }
}

function secretText(source: SecretSource): string {
  const secret = secretMountedAt(source);
  return secret === null ? `the variable "${source.env}"` : `key "${secret.key}" of Secret "${secret.name}"`;
}
