/** What differs between two folders of specs besides their bundles: settings of the project, and objects that no exposure shows. */
import { compareText, getMember, type PrivateDenial } from '#schemas';
import { computeDefinitionDigest } from '../analysis/exposure/definition-digest.ts';
import type { Exposure } from '../analysis/exposure/exposure.ts';
import type { RegistryExposure } from '../analysis/exposure/registry/registry-exposure.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { CompiledPaths } from './compile-paths.ts';

export interface OutsideBundles {
  /** Whether connections to private addresses are refused, in words. */
  readonly privateAddresses: string;
  /** The digests of objects that change what runs and that no exposure shows, by kind, namespace and name. */
  readonly objects: ReadonlyMap<string, string>;
}

/** Kinds of objects that change what runs, apart from those that have exposures of their own. */
const KINDS: ReadonlySet<string> = new Set(['EmbeddingServer', 'GatewaySource', 'MCPRemoteProxy', 'MCPServer']);

/** @param exposures of the same specs */
export function readOutside(
  { project, compilation }: Pick<CompiledPaths, 'project' | 'compilation'>,
  exposures: readonly (Exposure | RegistryExposure)[],
): OutsideBundles {
  const shown = new Set([
    ...exposures.flatMap(exposure => (exposure.kind === 'gateway' ? listShown(exposure) : [])),
    ...compilation.servers.map(({ object }) => formatKey(object)),
  ]);
  const objects = compilation.objects
    .filter(object => KINDS.has(object.kind) && !shown.has(formatKey(object)))
    .map(object => [formatKey(object), computeDigestOf(object)] as const);
  return { privateAddresses: describeDenial(project.denial), objects: new Map(objects) };
}

/** The backends and the embedding server of a gateway. */
function listShown({ namespace, backends, embeddingServer }: Exposure): readonly string[] {
  const servers = backends.flatMap(({ key }) => {
    const [ofNamespace = '', kind = '', name = ''] = key.split('/');
    return KINDS.has(kind) ? [formatKey({ kind, namespace: ofNamespace, name })] : [];
  });
  if (embeddingServer === undefined) return servers;
  return [...servers, formatKey({ kind: 'EmbeddingServer', namespace, name: embeddingServer.name })];
}

function formatKey({ kind, namespace, name }: Pick<ResourceDocument, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace}/${name}`;
}

function computeDigestOf({ doc }: ResourceDocument): string {
  const metadata = getMember(doc.value, 'metadata');
  return computeDefinitionDigest([
    getMember(doc.value, 'spec') ?? null,
    getMember(metadata, 'annotations') ?? null,
    getMember(metadata, 'labels') ?? null,
  ]);
}

function describeDenial(denial: PrivateDenial | undefined): string {
  if (denial === undefined) return 'allowed';
  const { except } = denial;
  return except.length === 0 ? 'refused' : `refused, except for ${[...new Set(except)].sort(compareText).join(', ')}`;
}

/**
 * Sentences about what differs between two folders. A side is undefined if it is a build, which has no such settings and objects: then nothing is
 * compared.
 */
export function listOutsideChanges(
  before: OutsideBundles | undefined,
  after: OutsideBundles | undefined,
): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const keys = [...new Set([...before.objects.keys(), ...after.objects.keys()])].sort(compareText);
  const setting =
    before.privateAddresses === after.privateAddresses
      ? []
      : [
          `denyPrivateBackends of the project differs, which no bundle contains: private addresses were ${before.privateAddresses}, and are ${after.privateAddresses} now`,
        ];
  return [
    ...setting,
    ...keys
      .filter(key => before.objects.get(key) !== after.objects.get(key))
      .map(key => `${key} ${describeChange(key, before, after)}, and is not compared: no bundle contains it`),
  ];
}

function describeChange(key: string, before: OutsideBundles, after: OutsideBundles): string {
  if (!before.objects.has(key)) return 'is new';
  return after.objects.has(key) ? 'differs' : 'is gone';
}
