/** What differs between two folders of specs besides their bundles: settings of the project, and objects that no exposure shows. */
import { compareText, getMember, type PrivateDenial } from '#schemas';
import type { ResourceDocument } from '../../source/classify.ts';
import { computeDefinitionDigest } from './definition-digest.ts';
import type { Exposure } from './exposure.ts';
import type { RegistryExposure } from './registry/registry-exposure.ts';

export interface OutsideBundles {
  /** Whether connections to private addresses are refused, in words. */
  readonly privateAddresses: string;
  /** The digests of objects that change what runs and that no exposure shows, by kind, namespace and name. */
  readonly objects: ReadonlyMap<string, string>;
}

/** Kinds of objects that change what runs, apart from those that have exposures of their own. */
const KINDS: ReadonlySet<string> = new Set(['EmbeddingServer', 'GatewaySource', 'MCPRemoteProxy', 'MCPServer']);

interface OutsideSources {
  /** Undefined: private addresses are allowed. */
  readonly denial: PrivateDenial | undefined;
  readonly objects: readonly ResourceDocument[];
  /** Servers with exposures of their own. */
  readonly servers: readonly { readonly object: ObjectKey }[];
}

type ObjectKey = Pick<ResourceDocument, 'kind' | 'namespace' | 'name'>;

/** Of some specs; `omitShown` takes out the objects that exposures show. */
export function readOutside({ denial, objects, servers }: OutsideSources): OutsideBundles {
  const own = new Set(servers.map(({ object }) => formatKey(object)));
  const described = objects
    .filter(object => KINDS.has(object.kind) && !own.has(formatKey(object)))
    .map(object => [formatKey(object), computeDigestOf(object)] as const);
  return { privateAddresses: describeDenial(denial), objects: new Map(described) };
}

/** @param exposures of the same specs */
export function omitShown(
  { privateAddresses, objects }: OutsideBundles,
  exposures: readonly (Exposure | RegistryExposure)[],
): OutsideBundles {
  const shown = new Set(exposures.flatMap(exposure => (exposure.kind === 'gateway' ? listShown(exposure) : [])));
  return { privateAddresses, objects: new Map([...objects].filter(([key]) => !shown.has(key))) };
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

function formatKey({ kind, namespace, name }: ObjectKey): string {
  return `${kind} ${namespace}/${name}`;
}

/** Digests of documents: an incremental compiler returns the same document until its text changes. */
const digests = new WeakMap<ResourceDocument['doc'], string>();

function computeDigestOf({ doc }: ResourceDocument): string {
  const metadata = getMember(doc.value, 'metadata');
  const digest =
    digests.get(doc) ??
    computeDefinitionDigest([
      getMember(doc.value, 'spec') ?? null,
      getMember(metadata, 'annotations') ?? null,
      getMember(metadata, 'labels') ?? null,
    ]);
  digests.set(doc, digest);
  return digest;
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
