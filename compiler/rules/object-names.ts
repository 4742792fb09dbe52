import {
  ALLOW_DELETIONS_ANNOTATION,
  DIGEST_ANNOTATION,
  ESCAPE_HATCHES_ANNOTATION,
  EXPECTATIONS_ANNOTATION,
  HOOK_AT_ANNOTATION,
  LABEL_DOMAIN,
  NETWORK_POLICY_ANNOTATION,
  REQUESTED_AT_ANNOTATION,
} from '#schemas';
import { nearest } from '../check/nearest.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import { isMapping, memberOf } from '../source/is-mapping.ts';
import { isObjectName } from '../source/metadata.ts';

const MAX_NAME = 63;
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const NAMES = `letters, digits, "-", "_" and ".", begins and ends with a letter or digit, and has at most ${MAX_NAME} characters`;

/** Of all annotations together, in bytes of UTF-8. */
const MAX_ANNOTATIONS = 256 * 1024;

const DOMAIN = `${LABEL_DOMAIN}/`;

/** What the compiler, the controller and exports to registries read, beside suppressions, and what the controller writes. */
const OWN: readonly string[] = [
  ...[
    ALLOW_DELETIONS_ANNOTATION,
    DIGEST_ANNOTATION,
    ESCAPE_HATCHES_ANNOTATION,
    EXPECTATIONS_ANNOTATION,
    HOOK_AT_ANNOTATION,
    NETWORK_POLICY_ANNOTATION,
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
 * Labels and annotations are such as the API server takes, and those of our own domain are such as somebody reads.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
 */
export function objectNames({ document }: Resource): Diagnostic[] {
  const metadata = memberOf(document.doc.value, 'metadata');
  const refused = (field: string, key: string, message: string, at: 'key' | 'value') =>
    diagnose(document, 'LNT1019', ['metadata', field, key], message, { at });
  const keys = (field: string) =>
    entriesOf(metadata, field).flatMap(([key]) => {
      const problem = keyProblem(key);
      return problem === undefined ? [] : [refused(field, key, `the name ${JSON.stringify(key)} ${problem}`, 'key')];
    });
  const values = entriesOf(metadata, 'labels')
    .filter(([, value]) => value !== '' && (value.length > MAX_NAME || !NAME.test(value)))
    .map(([key]) => refused('labels', key, `the value of a label is empty, or holds only ${NAMES}`, 'value'));
  const annotations = entriesOf(metadata, 'annotations');
  const size = annotations.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  const tooLarge = `annotations are larger than ${MAX_ANNOTATIONS / 1024} KiB together`;
  return [
    ...keys('labels'),
    ...values,
    ...keys('annotations'),
    ...(size > MAX_ANNOTATIONS
      ? [diagnose(document, 'LNT1019', ['metadata', 'annotations'], tooLarge, { at: 'key' })]
      : []),
    ...annotations.flatMap(([key]) => (isRead(key) ? [] : [unread(document, key)])),
  ];
}

function entriesOf(metadata: unknown, field: string): readonly (readonly [key: string, value: string])[] {
  const members = memberOf(metadata, field);
  return isMapping(members) ? Object.entries(members).map(([key, value]) => [key, `${value ?? ''}`] as const) : [];
}

/** A name, with the domain of whoever means something by it before it or not. */
function keyProblem(key: string): string | undefined {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > 2) return 'has more than one "/"';
  if (parts.length === 2 && !isObjectName(parts[0]?.toLowerCase() ?? '')) return 'has no domain before the "/"';
  if (name.length > MAX_NAME || !NAME.test(name)) return `is not one that Kubernetes takes: it holds only ${NAMES}`;
  return undefined;
}

/** Suppressions, misspelt ones included, and exports to registries have rules of their own. */
function isRead(key: string): boolean {
  if (!key.startsWith(DOMAIN) || OWN.includes(key.slice(DOMAIN.length))) return true;
  return /^registry-|ignor|LNT\d/i.test(key.slice(DOMAIN.length));
}

function unread(document: Resource['document'], key: string): Diagnostic {
  const close = nearest(key.slice(DOMAIN.length), OWN);
  return diagnose(document, 'LNT1008', ['metadata', 'annotations', key], `nothing reads the annotation ${key}`, {
    at: 'key',
    fix: close === undefined ? 'remove it, or choose another domain' : `did you mean ${DOMAIN}${close}?`,
  });
}
