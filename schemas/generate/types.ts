/** `generated/types.ts`: an interface for each object of the schemas and an envelope for each kind. */
import type { FileDefinition, KindDefinition } from '../kinds/define.ts';
import { ACCEPTED_API_GROUPS, getGroups } from '../names.ts';
import { GENERATED } from './header.ts';
import { listApiVersions } from './json-schema.ts';
import { listChildren, type PlacedSchema } from './structural-schema.ts';
import { toStructural } from './to-structural.ts';
import { formatDocComment, formatFieldLines, isInterface, listSchemaDoc } from './type-text.ts';

interface GeneratedType {
  readonly path: string;
  /** The fields with their comments. */
  readonly body: string;
  readonly text: string;
}

/** Interfaces that are written next to the generated ones. */
const ENVELOPE = `/** \`apiVersion\` of a manifest; \`v1alpha1\` is deprecated. */
export type ApiVersion = ${formatApiVersionType(ACCEPTED_API_GROUPS)};

/** Standard Kubernetes metadata; other members of Kubernetes' metadata are allowed. */
export interface ResourceMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly [key: string]: unknown;
}

/** The members of every resource. */
export interface ResourceEnvelope {
  readonly apiVersion: ApiVersion;
  readonly kind: string;
  readonly metadata: ResourceMetadata;
}
`;
const RESERVED: readonly string[] = ['ApiVersion', 'ResourceMetadata', 'ResourceEnvelope', 'LintelResource'];

/**
 * TypeScript for all kinds and files, in their order: envelopes, then interfaces in the order of their first use.
 *
 * @throws Error naming both places when two shapes have the same title, or the place of an object without a title
 */
export function formatTypes(kinds: readonly KindDefinition[], files: readonly FileDefinition[] = []): string {
  const found = new Map<string, GeneratedType>();
  const envelopes = kinds.map(kind => {
    const spec = { path: `${kind.kind}.spec`, schema: toStructural(kind.spec, `${kind.kind}.spec`) };
    const status = { path: `${kind.kind}.status`, schema: toStructural(kind.status, `${kind.kind}.status`) };
    for (const root of [spec, status]) collect(root, [], found);
    return formatEnvelope(kind, spec, status);
  });
  for (const { schema } of files)
    collect({ path: schema.title, schema: toStructural(schema, schema.title) }, [], found);
  for (const name of [...RESERVED, ...kinds.map(kind => kind.kind)]) {
    const taken = found.get(name);
    if (taken) throw new Error(`${taken.path}: title "${name}" is the name of another generated type`);
  }
  const union = `/** Any resource, told apart by \`kind\`. */\nexport type LintelResource =\n${kinds.map(kind => `  | ${kind.kind}`).join('\n')};\n`;
  const interfaces = [...found.values()].map(each => each.text);
  return [`// ${GENERATED}\n`, ENVELOPE, union, ...envelopes, ...interfaces].join('\n');
}

function formatApiVersionType(groups: readonly string[]): string {
  return listApiVersions(groups)
    .map(version => `'${version}'`)
    .join(' | ');
}

function formatEnvelope(kind: KindDefinition, spec: PlacedSchema, status: PlacedSchema): string {
  const groups = getGroups(kind.kind);
  const apiVersion = groups === ACCEPTED_API_GROUPS ? '' : `  readonly apiVersion: ${formatApiVersionType(groups)};\n`;
  return `${formatDocComment([kind.description], '')}export interface ${kind.kind} extends ResourceEnvelope {
${apiVersion}  readonly kind: '${kind.kind}';
  readonly spec${kind.specRequired ? '' : '?'}: ${readTitle(spec)};
  readonly status?: ${readTitle(status)};
}
`;
}

/** An object inside another one of the same title is the same type, unrolled to a fixed depth: the outermost one is used. */
function collect(placed: PlacedSchema, above: readonly string[], found: Map<string, GeneratedType>): void {
  let inside = above;
  if (isInterface(placed.schema)) {
    const title = readTitle(placed);
    if (above.includes(title)) return;
    inside = [...above, title];
    const body = formatFieldLines(placed.schema);
    const before = found.get(title);
    if (before && before.body !== body)
      throw new Error(`title "${title}" has one shape at ${before.path} and another at ${placed.path}`);
    const text = `${formatDocComment(listSchemaDoc(placed.schema), '')}export interface ${title} {\n${body}}\n`;
    if (!before) found.set(title, { path: placed.path, body, text });
  }
  for (const child of listChildren(placed)) collect(child, inside, found);
}

function readTitle({ path, schema }: PlacedSchema): string {
  if (schema.title === undefined) throw new Error(`${path}: an object with properties needs a title`);
  if (!/^[A-Z][A-Za-z0-9]*$/.test(schema.title))
    throw new Error(`${path}: title "${schema.title}" is not the name of a type`);
  return schema.title;
}
