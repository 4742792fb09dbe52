/** Examines the sign-in of an MCP server as a client would go through it. */
export { examineAuth } from './examine-auth.ts';
export { findSignIn } from './find-sign-in.ts';
export { DOCTOR_FORMATS, DOCTOR_RENDERERS, type DoctorFormat, requiresNoToken } from './render.ts';
export type { AuthReport } from './report.ts';
export { readChallenges } from './www-authenticate.ts';
