import { DEPRECATED_VERSION, getMember, STORAGE_VERSION } from '#schemas';
import { findNearest } from '#shared/util';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import {
  createDiagnostic,
  type Diagnostic,
  type DiagnosticDetails,
  type ObjectRef,
} from '../diagnostics/diagnostic.ts';
import { quote } from '../text/describe.ts';
import { type DocumentCache, NO_DOCUMENT_CACHE } from './document-cache.ts';
import { locateValue } from './locate-finding.ts';
import { readMetadata } from './metadata.ts';
import { reportMissingIdentity } from './missing-identity.ts';
import { getConfigName, isRegistryConfig, REGISTRY_CONFIG_KIND } from './registry-config.ts';
import type { Path, SourceDocument } from './source-document.ts';

/** A document that is an object with a valid identity. */
export type ResourceDocument = {
  readonly doc: SourceDocument;
  /** As written. */
  readonly apiVersion: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** As written, or the default namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly object: ObjectRef;
};

/** Documents by role; each list in document order. */
export type Classification = {
  /** Objects to check and compile. */
  readonly resources: readonly ResourceDocument[];
  /** Core Secrets and ConfigMaps, which references may name. */
  readonly targets: readonly ResourceDocument[];
  /** Configurations of registry servers to check and compile. */
  readonly registryConfigs: readonly ResourceDocument[];
  /** Broken objects, as far as their identity is known. */
  readonly rejected: readonly ResourceDocument[];
  /** The number of ignored documents. */
  readonly foreign: number;
  readonly diagnostics: readonly Diagnostic[];
};

/** The role of one document. */
export type ClassifiedDocument = {
  /**
   * - `ours`: to check and compile. - `target`: a core Secret or ConfigMap, which references may name. - `config`: a configuration of a registry
   * server, to check and compile. - `foreign`: another kind, or not an object; ignored. - `rejected`: intended as one of these, but broken;
   * `diagnostics` has the reason.
   */
  readonly role: 'ours' | 'target' | 'config' | 'foreign' | 'rejected';
  /** Set for a valid identity: for `ours`, `target`, `config` and some `rejected` documents. */
  readonly resource?: ResourceDocument;
  readonly diagnostics: readonly Diagnostic[];
};

/** Which documents belong to Lintel. */
export type ClassifyOptions = {
  /** API groups of Lintel's kinds, the preferred one first. */
  readonly groups: readonly string[];
  readonly kinds: readonly string[];
  /** The kinds that only the first group has. */
  readonly ownKinds?: readonly string[];
  /** Kinds of these groups to ignore. */
  readonly foreignKinds?: readonly string[];
  /** For objects without a namespace; default `default`. */
  readonly defaultNamespace?: string;
  /** Files that the user named, as opposed to files found in a folder. */
  readonly named?: ReadonlySet<string>;
};

const TARGET_KINDS: readonly unknown[] = ['Secret', 'ConfigMap'];

/**
 * Sorts documents by role.
 * @param leftOut the objects that unreadable documents describe
 */
export function classify(
  documents: readonly SourceDocument[],
  options: ClassifyOptions,
  memory: DocumentCache = NO_DOCUMENT_CACHE,
  leftOut: readonly SourceDocument[] = [],
): Classification {
  const classifyOnce = (document: SourceDocument): ClassifiedDocument =>
    memory.getOrCompute('classified', document, () => classifyDocument(document, options));
  const classified = documents.map(classifyOnce);
  const inRole = (role: ClassifiedDocument['role']): readonly ResourceDocument[] =>
    classified.flatMap(document => (document.role === role && document.resource ? [document.resource] : []));
  return {
    resources: inRole('ours'),
    targets: inRole('target'),
    registryConfigs: inRole('config'),
    rejected: [...inRole('rejected'), ...leftOut.flatMap(document => classifyOnce(document).resource ?? [])],
    foreign: classified.filter(({ role }) => role === 'foreign').length,
    diagnostics: classified.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** The role of a document. Only a document that claims to be of Lintel's kinds, or a reference target, can be invalid. */
export function classifyDocument(doc: SourceDocument, options: ClassifyOptions): ClassifiedDocument {
  const apiVersion = getMember(doc.value, 'apiVersion');
  const kind = getMember(doc.value, 'kind');
  const type = parseApiVersion(apiVersion, options.groups);
  if (isRegistryConfig(doc.value, options.named?.has(doc.file) === true)) return identifyConfig(doc, options);
  if (apiVersion === 'v1' && TARGET_KINDS.includes(kind)) return identify(doc, 'target', options);
  if (!type || !options.groups.includes(type.group)) return rejectOutsideGroups(doc, apiVersion, kind, options);

  const { group, version } = type;
  if (kind === undefined || kind === null) return rejectLacking(doc, 'kind', 'the object has no kind');
  if (typeof kind !== 'string') return reject(doc, 'LNT1004', ['kind'], 'kind must be a string');
  if (options.foreignKinds?.includes(kind)) return { role: 'foreign', diagnostics: [] };
  if (!options.kinds.includes(kind)) {
    const near = findNearest(kind, options.kinds);
    const message = `the API group ${group} has no kind ${quote(kind)}`;
    return withObject(
      reject(doc, 'LNT1007', ['kind'], message, near === undefined ? {} : { fix: `kind: ${near}` }),
      doc,
      kind,
      options,
    );
  }
  const [own] = options.groups;
  if (group !== own && options.ownKinds?.includes(kind)) {
    const message = `the API group ${group} has no kind ${quote(kind)}, which is of ${own} alone`;
    const fix = `apiVersion: ${own}/${STORAGE_VERSION}`;
    return withObject(reject(doc, 'LNT1011', ['apiVersion'], message, { fix }), doc, kind, options);
  }
  const identified = identify(doc, 'ours', options);
  if (version === STORAGE_VERSION) return identified;
  const isKnown = version === DEPRECATED_VERSION;
  const message = isKnown ? `${group}/${version} is deprecated` : `${group} has no version ${quote(version)}`;
  const fix = `apiVersion: ${group}/${STORAGE_VERSION}`;
  const found = reportAt(doc, isKnown ? 'LNT1006' : 'LNT1011', ['apiVersion'], message, { fix });
  const object = identified.resource && { object: identified.resource.object };
  const diagnostics = [{ ...found, ...object }, ...identified.diagnostics];
  return { ...identified, role: isKnown ? identified.role : 'rejected', diagnostics };
}

function identify(doc: SourceDocument, role: 'ours' | 'target', options: ClassifyOptions): ClassifiedDocument {
  const metadata = readMetadata(doc, options.defaultNamespace ?? 'default');
  const apiVersion = getMember(doc.value, 'apiVersion') as string;
  const kind = getMember(doc.value, 'kind') as string;
  const { group, version } = parseApiVersion(apiVersion, options.groups) as ApiVersion;
  if ('diagnostics' in metadata) {
    const { diagnostics, refused } = metadata;
    if (refused === undefined) return { role: 'rejected', diagnostics };
    const object: ObjectRef = { apiVersion, kind, ...refused };
    const resource = { doc, apiVersion, group, version, kind, ...refused, object };
    return { role: 'rejected', resource, diagnostics: diagnostics.map(found => ({ ...found, object })) };
  }
  const object: ObjectRef = { apiVersion, kind, ...metadata };
  const diagnostics = doc.caveats.map(caveat => ({ ...caveat, object }));
  const isBroken = diagnostics.some(({ severity }) => severity === 'error');
  const resource = { doc, apiVersion, group, version, kind, ...metadata, object };
  return { role: isBroken ? 'rejected' : role, resource, diagnostics };
}

/** A configuration has no metadata, so it gets its name from the file. */
function identifyConfig(doc: SourceDocument, options: ClassifyOptions): ClassifiedDocument {
  const identity = { namespace: options.defaultNamespace ?? 'default', name: getConfigName(doc) };
  const object: ObjectRef = { apiVersion: '', kind: REGISTRY_CONFIG_KIND, ...identity };
  const diagnostics = doc.caveats.map(caveat => ({ ...caveat, object }));
  const isBroken = diagnostics.some(({ severity }) => severity === 'error');
  const resource = { doc, group: '', version: '', ...object, object };
  return { role: isBroken ? 'rejected' : 'config', resource, diagnostics };
}

/** A document of Lintel's kinds without API version or with a misspelt group must not count as foreign. */
function rejectOutsideGroups(
  doc: SourceDocument,
  apiVersion: unknown,
  kind: unknown,
  options: ClassifyOptions,
): ClassifiedDocument {
  const { groups, kinds } = options;
  if (typeof kind !== 'string' || !kinds.includes(kind)) return { role: 'foreign', diagnostics: [] };
  return withObject(rejectApiVersion(doc, apiVersion, kind, groups), doc, kind, options);
}

function rejectApiVersion(
  doc: SourceDocument,
  apiVersion: unknown,
  kind: string,
  groups: readonly string[],
): ClassifiedDocument {
  if (apiVersion === undefined || apiVersion === null) {
    const fix = `apiVersion: ${groups[0]}/${STORAGE_VERSION}`;
    return rejectLacking(doc, 'apiVersion', `the ${kind} has no apiVersion`, { fix });
  }
  if (typeof apiVersion !== 'string') return reject(doc, 'LNT1004', ['apiVersion'], 'apiVersion must be a string');
  if (!apiVersion.includes('/')) {
    // Without a group the kind would be a core kind of this name, which does not exist, so the intention is clear.
    const fix = `apiVersion: ${groups[0]}/${STORAGE_VERSION}`;
    return reject(doc, 'LNT1011', ['apiVersion'], `${quote(apiVersion)} has no kind ${quote(kind)}`, { fix });
  }
  const near = findNearest(apiVersion.replace(/\/.*$/s, ''), groups);
  if (near === undefined) return { role: 'foreign', diagnostics: [] };
  // An API group whose name almost equals one of Lintel's, with one of Lintel's kinds: if the document were ignored, its absence would go
  // unnoticed.
  const message = `${quote(apiVersion)} is not of an accepted API group, though Lintel knows the kind ${quote(kind)}`;
  return reject(doc, 'LNT1011', ['apiVersion'], message, { fix: `apiVersion: ${near}/${STORAGE_VERSION}` });
}

type ApiVersion = { readonly group: string; readonly version: string };

/** A group without a version counts only if it is accepted; `v1` is the core group. */
function parseApiVersion(apiVersion: unknown, groups: readonly string[]): ApiVersion | undefined {
  if (typeof apiVersion !== 'string') return undefined;
  const slash = apiVersion.indexOf('/');
  if (slash !== -1) return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
  return groups.includes(apiVersion) ? { group: apiVersion, version: '' } : { group: '', version: apiVersion };
}

function rejectLacking(
  doc: SourceDocument,
  field: string,
  message: string,
  details?: DiagnosticDetails,
): ClassifiedDocument {
  return { role: 'rejected', diagnostics: [reportMissingIdentity(doc, 'LNT1010', [field], message, details)] };
}

/**
 * A rejected document with its object, if its name is readable: an error about a named object affects only the objects that use it, and an error
 * without a name affects everything.
 */
function withObject(
  rejected: ClassifiedDocument,
  doc: SourceDocument,
  kind: string,
  options: ClassifyOptions,
): ClassifiedDocument {
  if (rejected.role !== 'rejected') return rejected;
  const metadata = readMetadata(doc, options.defaultNamespace ?? 'default');
  const identity = 'diagnostics' in metadata ? metadata.refused : metadata;
  if (identity === undefined) return rejected;
  const apiVersionValue = getMember(doc.value, 'apiVersion');
  const apiVersion = typeof apiVersionValue === 'string' ? apiVersionValue : '';
  const object: ObjectRef = { apiVersion, kind, ...identity };
  const { group, version } = parseApiVersion(apiVersion, options.groups) as ApiVersion;
  return {
    role: 'rejected',
    resource: { doc, group, version, ...object, object },
    diagnostics: rejected.diagnostics.map(found => ({ ...found, object })),
  };
}

function reject(...args: Parameters<typeof reportAt>): ClassifiedDocument {
  return { role: 'rejected', diagnostics: [reportAt(...args)] };
}

function reportAt(
  doc: SourceDocument,
  code: DiagnosticCode,
  path: Path,
  message: string,
  details: DiagnosticDetails = {},
): Diagnostic {
  return createDiagnostic(code, locateValue(doc, path), message, details);
}
