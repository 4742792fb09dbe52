import { type Call, captureCall } from '../origins.ts';
import type { RenderedPart } from '../rendered.ts';
import { toManifestValue } from '../values/manifest-value.ts';
import type { SafeUrl } from '../values/url.ts';
import type { Claims } from './claims.ts';
import type { RegistryProvider } from './registry-provider.ts';
import type { RegistryPart, ToPath } from './server-file.ts';

/** Which callers have which role: those that match one of the entries. */
export interface RegistryRoles {
  /** Claims of the callers that may do and see everything, even without the claims of an entry. */
  readonly superAdmin?: readonly Claims[];
  readonly manageSources?: readonly Claims[];
  readonly manageRegistries?: readonly Claims[];
  readonly manageEntries?: readonly Claims[];
}

/** Authentication of callers by access tokens. */
export interface RegistryOAuthProps {
  /** URL of the registry server as callers know it: `resource` of its metadata (RFC 9728). */
  readonly resourceUrl: SafeUrl;
  /** Realm of the challenge. Default: `mcp-registry`. */
  readonly realm?: string;
  /** Registries, or parts of them, that require no token, such as `/registry/open`. */
  readonly publicPaths?: readonly `/registry/${string}`[];
  /** Providers that are tried in this order; the first that accepts a token wins. */
  readonly providers: readonly [RegistryProvider, ...RegistryProvider[]];
  /** Enables authorization by claims, even when it is empty. Without it every caller with a token sees everything. */
  readonly roles?: RegistryRoles;
}

/** Who may call a registry server. Required, so that no server is open by omission. */
export class RegistryAuth implements RegistryPart {
  readonly #render: (toPath: ToPath) => RenderedPart;

  private constructor(render: (toPath: ToPath) => RenderedPart) {
    this.#render = render;
  }

  /**
   * Every client may read everything, without a token.
   *
   * @example
   * new Registry(this, 'team', { registries: [{ name: 'team', sources: [ours] }], auth: RegistryAuth.anonymous() });
   */
  static anonymous(): RegistryAuth {
    const callSite = captureCall(RegistryAuth.anonymous).at();
    return new RegistryAuth(() => ({ value: { mode: 'anonymous' }, origins: [{ pointer: '', callSite }] }));
  }

  /**
   * Callers present access tokens of the providers.
   *
   * @throws Error for a role with an empty entry, which matches no caller
   * @example
   * RegistryAuth.oauth({
   *   resourceUrl: 'https://mcp-registry.example.com',
   *   providers: [RegistryProvider.oidc('company', { issuer: 'https://login.example.com', audience: 'mcp-registry' })],
   *   roles: { superAdmin: [{ groups: 'registry-admins' }] },
   * });
   */
  static oauth(props: RegistryOAuthProps): RegistryAuth {
    for (const [role, entries] of Object.entries(props.roles ?? {}) as [string, readonly Claims[]][])
      if (entries.some(claims => Object.keys(claims).length === 0))
        throw new Error(
          `an entry of the role ${role} names no claims, so it would fit no caller: name one or remove it`,
        );
    const call = captureCall(RegistryAuth.oauth);
    return new RegistryAuth(toPath => renderOAuth(props, toPath, call));
  }

  /** Renders the settings for the registry. */
  render(toPath: ToPath): RenderedPart {
    return this.#render(toPath);
  }
}

function renderOAuth(props: RegistryOAuthProps, toPath: ToPath, call: Call): RenderedPart {
  const { resourceUrl, realm, publicPaths, roles } = props;
  const providers = props.providers.map(provider => provider.render(toPath));
  const value = toManifestValue({
    mode: 'oauth',
    oauth: { resourceUrl, realm, publicPaths, providers: providers.map(provider => provider.value) },
    authz: roles && { roles },
  }) as object;
  return {
    value,
    origins: [
      { pointer: '', callSite: call.at(0) },
      { pointer: '/oauth', callSite: call.at(0) },
      { pointer: '/authz', callSite: call.at(0) },
      ...providers.flatMap(({ origins }, index) =>
        origins.map(({ pointer, callSite }) => ({ pointer: `/oauth/providers/${index}${pointer}`, callSite })),
      ),
    ],
  };
}
