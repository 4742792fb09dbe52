import { ACCEPTED_API_GROUPS, getMember, isObject } from '#schemas';
import { EXPORTED_KINDS, exportAnnotations, readExportedServer } from '../analysis/registry/exported-server.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';

/**
 * The annotations of registry exports must be valid; otherwise the object is not listed.
 *
 * @holds Registry server | annotations of exported servers | claims are JSON; description and URL are set; a valid entry can be built |
 *   LNT8009, LNT8017, LNT8027
 */
export function registryExport(resource: Resource): Diagnostic[] {
  if (!EXPORTED_KINDS.includes(resource.kind)) return [];
  const annotations = getMember(getMember(resource.document.doc.value, 'metadata'), 'annotations');
  return [
    ...ACCEPTED_API_GROUPS.flatMap(prefix => [
      ...checkClaims(resource, `${prefix}/authz-claims`, annotations),
      ...checkMissing(resource, prefix, annotations),
    ]),
    ...checkUnfit(resource),
  ];
}

function checkClaims(resource: Resource, key: string, annotations: unknown): Diagnostic[] {
  const text = getMember(annotations, key);
  if (typeof text !== 'string') return [];
  const problem = findClaimsProblem(text);
  if (problem === undefined) return [];
  return [diagnose(resource.document, 'LNT8009', ['metadata', 'annotations', key], `${key} ${problem}`)];
}

/** Why a text is not valid JSON of claims, as the end of a sentence. */
function findClaimsProblem(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  if (!isObject(value)) return 'is not a JSON object of claims';
  const wrong = Object.keys(value).find(claim => !isValue(value[claim]));
  return wrong === undefined ? undefined : `has a claim "${wrong}" that is neither a string nor a list of strings`;
}

function isValue(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every(item => typeof item === 'string'));
}

function checkMissing(resource: Resource, prefix: string, annotations: unknown): Diagnostic[] {
  const exported = `${prefix}/registry-export`;
  if (getMember(annotations, exported) !== 'true') return [];
  return [`${prefix}/registry-description`, `${prefix}/registry-url`]
    .filter(key => (getMember(annotations, key) ?? '') === '')
    .map(key =>
      diagnose(resource.document, 'LNT8017', ['metadata', 'annotations', exported], `${key} is missing`, { at: 'key' }),
    );
}

/** Annotations that give no valid entry. The gateway's tools are unknown here and do not matter. */
function checkUnfit(resource: Resource): Diagnostic[] {
  const annotations = exportAnnotations(resource);
  if (annotations === undefined) return [];
  const tools = resource.kind === 'VirtualMCPServer' ? [] : undefined;
  return readExportedServer(resource, annotations, tools).problems.map(({ key, message }) =>
    diagnose(resource.document, 'LNT8027', ['metadata', 'annotations', key], `${key} ${message}`),
  );
}
