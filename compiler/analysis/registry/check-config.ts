/** Checks a configuration against its schema. */

import { FILE_SCHEMAS, type RegistryConfig } from '#schemas';
import { reportNull, reportViolation } from '../../check/check-document.ts';
import { withDefaults } from '../../check/defaults.ts';
import { withoutNulls } from '../../check/nulls.ts';
import { checkStructure, type Violation } from '../../check/structural.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { ResourceDocument } from '../../source/classify.ts';
import { locateValue } from '../../source/locate-finding.ts';
import { formatPointer } from '../../text/pointer.ts';
import type { RegistryDocument } from './document.ts';

const SCHEMA = FILE_SCHEMAS.RegistryConfig;

/** Advice for some findings, by the path of the missing or unknown field. */
const ADVICE: { readonly [pointer: string]: string } = {
  '/auth':
    'add auth: { mode: anonymous } for a server that everybody may read, or auth.oauth with resourceUrl and providers: without an auth section the mode is oauth',
  '/auth/publicPaths': 'write it as auth.oauth.publicPaths',
  '/insecure_url': 'remove it and use https issuers',
};

/** Keys that would hold a secret if they existed: their source line is not shown. */
const SECRET_KEY = /secret|password|token/i;

/** The findings, and the configuration if none of them is an error. */
export function checkConfig(document: ResourceDocument): {
  readonly diagnostics: readonly Diagnostic[];
  readonly registry: RegistryDocument | undefined;
} {
  const { value: authored, dropped } = withoutNulls(SCHEMA, document.doc.value);
  const config = withDefaults(SCHEMA, authored);
  const violations = checkStructure(SCHEMA, config);
  const diagnostics = [
    ...dropped.map(field => reportNull(document, field, 'registry servers read it as none')),
    ...violations.map(violation => reportSchemaViolation(document, violation)),
  ];
  if (violations.length > 0) return { diagnostics, registry: undefined };
  return { diagnostics, registry: { document, config: config as RegistryConfig, authored } };
}

function reportSchemaViolation(document: ResourceDocument, violation: Violation): Diagnostic {
  const { kind, path, field } = violation;
  const found = reportViolation(document, violation, SCHEMA);
  const fieldPath = kind === 'missing-field' && field !== undefined ? [...path, field] : path;
  const fix = ADVICE[formatPointer(fieldPath)];
  if (fix !== undefined && field !== undefined) return { ...withoutHelp(found), fix };
  if (kind === 'unknown-field' && SECRET_KEY.test(field ?? ''))
    return { ...found, ...locateValue(document.doc, path.slice(0, -1), 'key'), pointer: found.pointer };
  return found;
}

function withoutHelp({ help: _, ...rest }: Diagnostic): Diagnostic {
  return rest;
}
