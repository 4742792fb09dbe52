import type { RegistryConfig } from '#schemas';
import type { Call } from '../origins.ts';
import type { RenderedPart } from '../rendered.ts';
import { toManifestValue } from '../values/manifest-value.ts';
import type { Claims } from './claims.ts';
import type { RegistryAuth } from './registry-auth.ts';
import type { RegistrySource } from './registry-source.ts';
import type { ToPath } from './server-file.ts';

/** A named view of sources; callers see views. */
export interface RegistryViewProps {
  /** Name of the registry: the segment after `/registry/` in URLs. */
  readonly name: string;
  /** The sources in order of precedence: of two entries with one name, the first source's is shown. */
  readonly sources: readonly [RegistrySource, ...RegistrySource[]];
  /**
   * Claims that a caller must have to see the registry. If the server has `auth.authz`, only super admins see a registry without claims, unless
   * its path is public.
   */
  readonly claims?: Claims;
}

/** What a registry server lists, and to whom. */
export interface RegistryConfigProps {
  /** Registries that callers can list. */
  readonly registries: readonly [RegistryViewProps, ...RegistryViewProps[]];
  /** Who may call the registry server. */
  readonly auth: RegistryAuth;
  /** Order of the sources in the configuration. Default: the order in which registries first name them. */
  readonly sources?: readonly RegistrySource[];
  /** Traces and metrics. */
  readonly telemetry?: NonNullable<RegistryConfig['telemetry']>;
  /** Audit events. */
  readonly audit?: NonNullable<RegistryConfig['audit']>;
}

/**
 * The configuration, and where in the program its values were given.
 *
 * @param props argument 2 of the call
 * @throws Error when two sources have the same name
 */
export function renderConfig(name: string, props: RegistryConfigProps, toPath: ToPath, call: Call): RenderedPart {
  const { registries, telemetry, audit } = props;
  const sources = listSources(props).map(source => source.render(toPath));
  const auth = props.auth.render(toPath);
  const value = toManifestValue({
    registryName: name,
    sources: sources.map(source => source.value),
    registries: registries.map(view => ({ ...view, sources: view.sources.map(source => source.name) })),
    auth: auth.value,
    telemetry,
    audit,
  }) as object;
  const below = (at: string, part: RenderedPart) =>
    part.origins.map(({ pointer, callSite }) => ({ pointer: `${at}${pointer}`, callSite }));
  return {
    value,
    origins: [
      { pointer: '', callSite: call.at(2) },
      { pointer: '/registryName', callSite: call.at(1) },
      ...sources.flatMap((source, index) => below(`/sources/${index}`, source)),
      ...below('/auth', auth),
    ],
  };
}

/** The sources in the order of the configuration: first those that are listed explicitly, then those that registries name. */
function listSources({ registries, sources = [] }: RegistryConfigProps): readonly RegistrySource[] {
  const all = [...new Set([...sources, ...registries.flatMap(view => view.sources)])];
  const names = all.map(source => source.name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`two sources are named "${twice}": rename one of them, or share it`);
  return all;
}
