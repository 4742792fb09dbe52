/** Converts an object of the cluster into a registry entry, according to its annotations. */
import {
  ACCEPTED_API_GROUPS,
  type ClaimMap,
  checkServer,
  DEFAULT_SCHEMA_DATE,
  ENTRY_VENDOR,
  EXPORT_NAMESPACES,
  formatCanonicalJson,
  formatSchemaUrl,
  getMember,
  isObject,
  MAX_ENTRY_BYTES,
  type MCPServerSpec,
  PUBLISHER_META,
  type RegistryEntry,
} from '#schemas';
import type { Resource } from '../../resolve/inventory.ts';

/** Kinds that a registry server in the cluster can list. */
export const EXPORTED_KINDS: readonly string[] = ['MCPServer', 'VirtualMCPServer', 'MCPRemoteProxy'];

/** A tool in an entry. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string;
}

/** Why an object that is annotated for export is not listed. */
export interface ExportProblem {
  /** The key of the annotation, with its prefix. */
  readonly key: string;
  readonly message: string;
}

export interface ExportedServer {
  readonly entry: RegistryEntry | undefined;
  readonly problems: readonly ExportProblem[];
}

/** The annotations of an exported object. */
export interface ExportAnnotations {
  /** The API group of the annotations. */
  readonly group: string;
  /** The value of an annotation; undefined when it is missing or empty. */
  get(name: string): string | undefined;
}

/** The annotations of an object. Undefined for an object that is not exported. If annotations of two groups exist, the first group counts. */
export function exportAnnotations({ kind, document }: Resource): ExportAnnotations | undefined {
  if (!EXPORTED_KINDS.includes(kind)) return undefined;
  const annotations = getMember(getMember(document.doc.value, 'metadata'), 'annotations');
  const group = ACCEPTED_API_GROUPS.find(prefix => getMember(annotations, `${prefix}/registry-export`) === 'true');
  if (group === undefined) return undefined;
  const get = (name: string) => {
    const value = getMember(annotations, `${group}/${name}`);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return { group, get };
}

/**
 * The entry of an object that has its required annotations; without them there is no entry, and a rule reports that.
 *
 * @param tools as callers see them; undefined when unknown: then annotations may name them
 */
export function readExportedServer(
  resource: Resource,
  annotations: ExportAnnotations,
  tools: readonly ListedTool[] | undefined,
): ExportedServer {
  const { group, get } = annotations;
  const key = (name: string) => `${group}/${name}`;
  const description = get('registry-description');
  const url = get('registry-url');
  if (description === undefined || url === undefined) return { entry: undefined, problems: [] };
  const version = get('registry-version');
  if (version !== undefined && !isVersion(version))
    return refuseExport(key('registry-version'), 'must be a semantic version such as 1.0.0, without "+"');
  const annotated = tools === undefined ? readAnnotatedTools(annotations) : { tools };
  if ('problem' in annotated) return { entry: undefined, problems: [annotated.problem] };
  const title = get('registry-title');
  const icon = get('registry-icon');
  const server = {
    $schema: formatSchemaUrl(DEFAULT_SCHEMA_DATE),
    name: `${EXPORT_NAMESPACES[group]}.${resource.namespace}/${resource.name}`,
    ...(title === undefined ? {} : { title }),
    description,
    version: version ?? findImageVersion(resource) ?? '1.0.0',
    ...(icon === undefined ? {} : { icons: [{ src: icon }] }),
    remotes: [{ type: 'streamable-http', url }],
  };
  const whole = { ...server, ...buildMeta(url, get('registry-category'), annotated.tools ?? []) };
  const isLarge = Buffer.byteLength(formatCanonicalJson(whole)) > MAX_ENTRY_BYTES;
  const names = (annotated.tools ?? []).map(({ name }) => ({ name }));
  const listed = isLarge ? { ...server, ...buildMeta(url, get('registry-category'), names) } : whole;
  const problems = checkServer(listed).map(({ pointer, message }) => ({ key: key(findAnnotation(pointer)), message }));
  if (problems.length > 0) return { entry: undefined, problems };
  return { entry: { server: listed, status: 'active', publishedAt: null, updatedAt: null }, problems };
}

/** The claims that callers need to see an object; null when the object states none, so that the claims of its source apply. */
export function exportClaims(annotations: ExportAnnotations): ClaimMap | null | undefined {
  const text = annotations.get('authz-claims');
  if (text === undefined) return null;
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const claims = Object.entries(value).map(([claim, required]): [string, string[]] | undefined => {
    const values = typeof required === 'string' ? [required] : required;
    return isTexts(values) ? [claim, values] : undefined;
  });
  const known = claims.filter(claim => claim !== undefined);
  return known.length === claims.length ? Object.fromEntries(known) : undefined;
}

/** Whether a text is a version with three parts and no build metadata: other lengths, or versions with "+", have no useful order. */
function isVersion(text: string): boolean {
  return (
    text.length <= 255 && /^v?(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/.test(text)
  );
}

/** The tag of the image that a workload runs, if it is a version. */
function findImageVersion({ kind, spec }: Resource): string | undefined {
  if (kind !== 'MCPServer') return undefined;
  const { image = '' } = spec as Partial<MCPServerSpec>;
  // A port comes before the last slash, a digest after "@".
  const [, tag] = /^[^@]*:([^/:@]+)(?:@.*)?$/.exec(image) ?? [];
  return tag !== undefined && isVersion(tag) ? tag : undefined;
}

type AnnotatedTools = { readonly tools: readonly ListedTool[] | undefined } | { readonly problem: ExportProblem };

function readAnnotatedTools({ group, get }: ExportAnnotations): AnnotatedTools {
  const definitions = get('tool-definitions');
  if (definitions !== undefined) {
    const list = parseJson(definitions);
    if (Array.isArray(list) && list.every(isTool))
      return { tools: list.map(({ name, description }) => toListedTool(name, description)) };
    return createProblem(`${group}/tool-definitions`, 'must be a JSON list of objects with a name');
  }
  const names = get('tools');
  if (names === undefined) return { tools: undefined };
  const list = parseJson(names);
  return isTexts(list)
    ? { tools: list.map(name => ({ name })) }
    : createProblem(`${group}/tools`, 'must be a JSON list of names');
}

/** A tool with its description, if it has one. */
export function toListedTool(name: string, description: unknown): ListedTool {
  return typeof description === 'string' && description !== '' ? { name, description } : { name };
}

function buildMeta(url: string, category: string | undefined, tools: readonly ListedTool[]): object {
  const part = {
    ...(category === undefined ? {} : { tags: [category] }),
    ...(tools.length === 0 ? {} : { tools: tools.map(({ name }) => name) }),
    ...(tools.some(({ description }) => description !== undefined) ? { tool_definitions: tools } : {}),
  };
  if (Object.keys(part).length === 0) return {};
  return { _meta: { [PUBLISHER_META]: { [ENTRY_VENDOR]: { [url]: part } } } };
}

/** The annotation that determines a part of the entry. */
function findAnnotation(pointer: string): string {
  const [, member = ''] = pointer.split('/');
  const annotations: { readonly [member: string]: string } = {
    description: 'registry-description',
    title: 'registry-title',
    icons: 'registry-icon',
    remotes: 'registry-url',
    version: 'registry-version',
  };
  return annotations[member] ?? 'registry-export';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string');
}

function isTool(value: unknown): value is { readonly name: string; readonly description?: unknown } {
  const name = getMember(value, 'name');
  return typeof name === 'string' && name !== '';
}

function createProblem(key: string, message: string): { readonly problem: ExportProblem } {
  return { problem: { key, message } };
}

function refuseExport(key: string, message: string): ExportedServer {
  return { entry: undefined, problems: [{ key, message }] };
}
