import {
  ALLOW_DELETIONS_ANNOTATION,
  DIGEST_ANNOTATION,
  ESCAPE_HATCHES_ANNOTATION,
  EXPECTATIONS_ANNOTATION,
  getMember,
  HOOK_AT_ANNOTATION,
  isObject,
  LABEL_DOMAIN,
  NETWORK_POLICY_ANNOTATION,
  PINNED_TOOLS_ANNOTATION,
  REQUESTED_AT_ANNOTATION,
} from '#schemas';
import { findNearest } from '#shared/util';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import {
  findAnnotationKeyProblem,
  findAnnotationsProblem,
  findLabelKeyProblem,
  findLabelValueProblem,
} from '../source/name-syntax.ts';

const DOMAIN = `${LABEL_DOMAIN}/`;

/** Annotations that the compiler, the controller and registry exports read, except suppressions, and annotations that the controller writes. */
const OWN: readonly string[] = [
  ...[
    ALLOW_DELETIONS_ANNOTATION,
    DIGEST_ANNOTATION,
    ESCAPE_HATCHES_ANNOTATION,
    EXPECTATIONS_ANNOTATION,
    HOOK_AT_ANNOTATION,
    NETWORK_POLICY_ANNOTATION,
    PINNED_TOOLS_ANNOTATION,
    REQUESTED_AT_ANNOTATION,
  ].map(annotation => annotation.slice(DOMAIN.length)),
  'authz-claims',
  'desired-hash',
  'prune',
  'source',
  'tool-definitions',
  'tools',
];

/**
 * The API server must accept labels and annotations, and those with Lintel's domain must be known.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
 * @holds Any field | - | Labels and annotations have names and values that the API server accepts; those of `lintel.dev/` are known to Lintel
 *   | LNT1019, LNT1008
 */
export function objectNames({ document }: Resource): Diagnostic[] {
  const metadata = getMember(document.doc.value, 'metadata');
  const refused = (field: string, key: string, message: string, at: 'key' | 'value') =>
    diagnose(document, 'LNT1019', ['metadata', field, key], message, { at });
  const keys = (field: string, keyProblem: (key: string) => string | undefined) =>
    listEntries(metadata, field).flatMap(([key]) => {
      const problem = keyProblem(key);
      return problem === undefined ? [] : [refused(field, key, `the name ${JSON.stringify(key)} ${problem}`, 'key')];
    });
  const values = listEntries(metadata, 'labels').flatMap(([key, value]) => {
    const problem = findLabelValueProblem(value);
    return problem === undefined ? [] : [refused('labels', key, problem, 'value')];
  });
  const annotations = listEntries(metadata, 'annotations');
  const tooLarge = findAnnotationsProblem(annotations);
  return [
    ...keys('labels', findLabelKeyProblem),
    ...values,
    ...keys('annotations', findAnnotationKeyProblem),
    ...(tooLarge === undefined
      ? []
      : [diagnose(document, 'LNT1019', ['metadata', 'annotations'], tooLarge, { at: 'key' })]),
    ...annotations.flatMap(([key]) => (isRead(key) ? [] : [reportUnread(document, key)])),
  ];
}

function listEntries(metadata: unknown, field: string): readonly (readonly [key: string, value: string])[] {
  const members = getMember(metadata, field);
  return isObject(members) ? Object.entries(members).map(([key, value]) => [key, `${value ?? ''}`] as const) : [];
}

/** Other rules check suppressions, including misspelt ones, and registry exports. */
function isRead(key: string): boolean {
  if (!key.startsWith(DOMAIN) || OWN.includes(key.slice(DOMAIN.length))) return true;
  return /^registry-|ignor|LNT\d/i.test(key.slice(DOMAIN.length));
}

function reportUnread(document: Resource['document'], key: string): Diagnostic {
  const close = findNearest(key.slice(DOMAIN.length), OWN);
  return diagnose(document, 'LNT1008', ['metadata', 'annotations', key], `nothing reads the annotation ${key}`, {
    at: 'key',
    fix: close === undefined ? 'remove it, or choose another domain' : `did you mean ${DOMAIN}${close}?`,
  });
}
