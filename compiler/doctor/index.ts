/** Goes the way of a client to the sign-in of an MCP server. */
export { examineAuth } from './examine-auth.ts';
export { DOCTOR_FORMATS, DOCTOR_RENDERERS, type DoctorFormat } from './render.ts';
export type { AuthReport } from './report.ts';
