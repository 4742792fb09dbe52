import type { Severity } from './diagnostic.ts';

/** What is known about a code, whatever the finding. */
export type CodeEntry = {
  /** In kebab-case; unique, and as permanent as the number. */
  readonly name: string;
  /** The default; a caller may give another where the table's `meaning` says so. */
  readonly severity: Severity;
  readonly meaning: string;
  /** The version that added it. */
  readonly since: string;
  /** What to do about it. */
  readonly fix: string;
};

/** The areas, by the first digit of the number. */
export const AREAS = {
  1: 'input',
  2: 'references',
  3: 'aggregation',
  4: 'incoming authentication',
  5: 'authorization',
  6: 'outgoing connections',
  7: 'workflows',
  8: 'registry server',
  9: 'change',
} as const;

/** The only place where a code is born. A code is never reused; one that retires stays listed. */
const register = {
  LNT1001: {
    name: 'yaml-syntax',
    severity: 'error',
    meaning: 'The text of a document is not YAML or JSON. Other documents of the file are still checked.',
    since: '0.1.0',
    fix: 'Correct it and check again: the rest of the document was not looked at',
  },
  LNT1002: {
    name: 'duplicate-key',
    severity: 'error',
    meaning: 'A mapping holds the same key twice. Readers differ in which one they keep, so none is chosen.',
    since: '0.1.0',
    fix: 'Remove one of the two',
  },
  LNT1003: {
    name: 'unknown-field',
    severity: 'error',
    meaning: 'The kind has no such field. The API server would drop it without a word.',
    since: '0.1.0',
    fix: 'Correct the spelling or remove the field',
  },
  LNT1004: {
    name: 'wrong-type',
    severity: 'error',
    meaning: 'The value has another type than the field, such as a number where text is expected.',
    since: '0.1.0',
    fix: 'Write a value of the expected type',
  },
  LNT1006: {
    name: 'deprecated-api-version',
    severity: 'warning',
    meaning: 'The API version is still accepted and will be removed. Its fields are those of the storage version.',
    since: '0.1.0',
    fix: 'Write the storage version',
  },
  LNT1007: {
    name: 'unknown-kind',
    severity: 'error',
    meaning: 'The API group is one of ours and has no such kind.',
    since: '0.1.0',
    fix: 'Correct the kind or the API group',
  },
  LNT1008: {
    name: 'field-ignored',
    severity: 'warning',
    meaning: 'The field is valid and has no effect here, because another field or the mode overrules it.',
    since: '0.1.0',
    fix: 'Remove the field, or change what overrules it',
  },
  LNT1009: {
    name: 'not-supported-yet',
    severity: 'hint',
    meaning: 'The field is valid and this version does not act on it yet. An error when something is built or served.',
    since: '0.1.0',
    fix: 'Wait for a version that supports it; take the field out only if the gateway is right without it',
  },
  LNT1010: {
    name: 'missing-field',
    severity: 'error',
    meaning: 'A required field is absent.',
    since: '0.1.0',
    fix: 'Add the field',
  },
  LNT1011: {
    name: 'not-in-enum',
    severity: 'error',
    meaning: 'The value is not one of the values that the field allows.',
    since: '0.1.0',
    fix: 'Write one of the allowed values',
  },
  LNT1012: {
    name: 'pattern-mismatch',
    severity: 'error',
    meaning: 'The text does not match the pattern of the field.',
    since: '0.1.0',
    fix: 'Write text of the required form',
  },
  LNT1013: {
    name: 'out-of-bounds',
    severity: 'error',
    meaning: 'A number, a length or a count is below its minimum or above its maximum.',
    since: '0.1.0',
    fix: 'Write a value within the bounds',
  },
  LNT1014: {
    name: 'invalid-format',
    severity: 'error',
    meaning: 'The value has the right type and not the required form, or is a number that cannot be held exactly.',
    since: '0.1.0',
    fix: 'Write the value in the required form',
  },
  LNT1015: {
    name: 'duplicate-item',
    severity: 'error',
    meaning: 'A list whose items must differ holds two equal ones, or two with the same key.',
    since: '0.1.0',
    fix: 'Remove or rename one of the two',
  },
  LNT1016: {
    name: 'deprecated-field',
    severity: 'warning',
    meaning: 'The field still works and will be removed.',
    since: '0.1.0',
    fix: 'Use the field that replaces it',
  },
  LNT1017: {
    name: 'input-too-large',
    severity: 'error',
    meaning: 'The input passes a ceiling: bytes, documents, depth, aliases, values or files.',
    since: '0.1.0',
    fix: 'Split the input or make it smaller',
  },
  LNT1018: {
    name: 'unreadable-input',
    severity: 'error',
    meaning: 'A file or folder cannot be read, or is not UTF-8 text. What it holds was not checked.',
    since: '0.1.0',
    fix: 'Make it readable, or save it as UTF-8',
  },
  LNT1019: {
    name: 'invalid-metadata',
    severity: 'error',
    meaning: 'The metadata of an object is missing, or its name or namespace is not one that Kubernetes accepts.',
    since: '0.1.0',
    fix: 'Give the object a valid name and namespace',
  },
  LNT2001: {
    name: 'unresolved-reference',
    severity: 'error',
    meaning: 'A reference names an object that is not among the inputs.',
    since: '0.1.0',
    fix: 'Correct the name, or add the object to the inputs',
  },
  LNT2004: {
    name: 'unverifiable-reference',
    severity: 'hint',
    meaning: 'A reference names something outside of the inputs, such as a Secret, so it cannot be checked offline.',
    since: '0.1.0',
    fix: 'Make sure that it exists where the bundle runs',
  },
  LNT2005: {
    name: 'missing-key',
    severity: 'error',
    meaning: 'A reference names a key that the Secret or ConfigMap among the inputs does not hold.',
    since: '0.1.0',
    fix: 'Correct the key, or add it to the object',
  },
  LNT2006: {
    name: 'duplicate-object',
    severity: 'error',
    meaning: 'Two documents describe the same object: the same kind, namespace and name.',
    since: '0.1.0',
    fix: 'Remove or rename one of the two',
  },
  LNT2007: {
    name: 'no-backends',
    severity: 'error',
    meaning: 'A gateway has no backend. A hint where backends may still join in a cluster.',
    since: '0.1.0',
    fix: 'Add a workload to the group',
  },
  LNT2008: {
    name: 'duplicate-backend',
    severity: 'error',
    meaning: 'Two backends of a gateway have the same name.',
    since: '0.1.0',
    fix: 'Rename one of the two',
  },
  LNT3010: {
    name: 'priority-order-missing',
    severity: 'error',
    meaning: 'Conflicts are resolved by priority and no order is given.',
    since: '0.1.0',
    fix: 'Give the order, or choose another conflict resolution',
  },
  LNT3011: {
    name: 'manual-overrides-missing',
    severity: 'error',
    meaning: 'Conflicts are resolved by hand and no overrides are given.',
    since: '0.1.0',
    fix: 'Give the overrides, or choose another conflict resolution',
  },
  LNT3012: {
    name: 'unknown-workload',
    severity: 'error',
    meaning: 'The aggregation names a workload that is not a backend of the gateway.',
    since: '0.1.0',
    fix: 'Correct the name, or add the workload to the group',
  },
  LNT3013: {
    name: 'duplicate-workload',
    severity: 'error',
    meaning: 'The aggregation names the same workload twice.',
    since: '0.1.0',
    fix: 'Merge the two entries',
  },
  LNT3014: {
    name: 'visibility-entry-missing',
    severity: 'error',
    meaning: 'Tools are hidden by default and a workload of the priority order has no entry that shows any.',
    since: '0.1.0',
    fix: 'Add a `tools` entry for the workload, or allow tools by default',
  },
  LNT6010: {
    name: 'blocked-address',
    severity: 'error',
    meaning: 'A URL points at an address that connections may not go to, such as a metadata service.',
    since: '0.1.0',
    fix: 'Point it at a permitted address',
  },
  LNT6011: {
    name: 'invalid-url',
    severity: 'error',
    meaning: 'A URL cannot be parsed, or has a scheme or parts that are not permitted.',
    since: '0.1.0',
    fix: 'Write an absolute http or https URL',
  },
  LNT6012: {
    name: 'partial-failure-default',
    severity: 'hint',
    meaning: 'The failureHandling block is written without partialFailureMode, whose default there is fail.',
    since: '0.1.0',
    fix: 'Write partialFailureMode: best_effort to list what is there, or fail to say that it is meant',
  },
} as const;

/** Every code there is, such as `LNT1003`. */
export type DiagnosticCode = keyof typeof register;

/** The register, frozen. */
export const CODES: Readonly<Record<DiagnosticCode, CodeEntry>> = Object.freeze(register);

/** The area of a code, such as `input`. */
export function areaOf(code: DiagnosticCode): string {
  return AREAS[code.charAt(3) as unknown as keyof typeof AREAS];
}
