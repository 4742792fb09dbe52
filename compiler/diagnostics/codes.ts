import { compareText } from '#schemas';
import { AGGREGATION_CODES } from './codes/aggregation.ts';
import { AUTHORIZATION_CODES } from './codes/authorization.ts';
import { AUTHORIZATION_SERVER_CODES } from './codes/authorization-server.ts';
import type { CodeEntry } from './codes/code-entry.ts';
import { CONTROLLER_CODES } from './codes/controller.ts';
import { GATEWAY_SOURCE_CODES } from './codes/gateway-source.ts';
import { INCOMING_AUTHENTICATION_CODES } from './codes/incoming-authentication.ts';
import { INPUT_CODES } from './codes/input.ts';
import { OUTGOING_CONNECTION_CODES } from './codes/outgoing-connections.ts';
import { PROGRAM_CODES } from './codes/programs.ts';
import { PROJECT_CODES } from './codes/project.ts';
import { REFERENCE_CODES } from './codes/references.ts';
import { REGISTRY_ENTRIES_CODES } from './codes/registry-entries.ts';
import { REGISTRY_SERVER_CODES } from './codes/registry-server.ts';
import { TOOL_LIST_CODES } from './codes/tool-lists.ts';
import { TOOL_NAME_CODES } from './codes/tool-names.ts';
import { WORKFLOW_TEST_CODES } from './codes/workflow-tests.ts';
import { WORKFLOW_CODES } from './codes/workflows.ts';

export { type CodeEntry, FIXED_REASONS } from './codes/code-entry.ts';

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

/**
 * The only register of codes, in files by what they are about. A code is born in its file, is never reused, and stays listed when it
 * retires.
 */
const register = {
  ...INPUT_CODES,
  ...PROJECT_CODES,
  ...PROGRAM_CODES,
  ...GATEWAY_SOURCE_CODES,
  ...CONTROLLER_CODES,
  ...REFERENCE_CODES,
  ...TOOL_NAME_CODES,
  ...AGGREGATION_CODES,
  ...TOOL_LIST_CODES,
  ...INCOMING_AUTHENTICATION_CODES,
  ...AUTHORIZATION_SERVER_CODES,
  ...AUTHORIZATION_CODES,
  ...OUTGOING_CONNECTION_CODES,
  ...WORKFLOW_CODES,
  ...WORKFLOW_TEST_CODES,
  ...REGISTRY_SERVER_CODES,
  ...REGISTRY_ENTRIES_CODES,
} as const;

/** Every code there is, such as `LNT1003`. */
export type DiagnosticCode = keyof typeof register;

/** The register, sorted by number and frozen. */
export const CODES: Readonly<Record<DiagnosticCode, CodeEntry>> = Object.freeze(
  Object.fromEntries(Object.entries(register).sort(([a], [b]) => compareText(a, b))) as typeof register,
);

/** The area of a code, such as `input`. */
export function areaOf(code: DiagnosticCode): string {
  return AREAS[code.charAt(3) as unknown as keyof typeof AREAS];
}
