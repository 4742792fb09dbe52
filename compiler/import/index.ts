/** Reads files of other programs, and plans specs to replace them. */
export { type ClientServers, type Refusal, serversOfClient, serversOfClients } from './client-servers.ts';
export { FORMS, readImportedFile } from './detect.ts';
export { envExample } from './env-example.ts';
export { type ExistingSpecs, readExistingSpecs } from './existing-specs.ts';
export type { FoundServer } from './found.ts';
export { objectsText, withErrors } from './objects-text.ts';
export { type FoundFile, type ImportPlan, planImport } from './plan.ts';
export { IMPORT_FORMATS, IMPORT_RENDERERS, type ImportFormat, renderPlan } from './render.ts';
export { secretSteps } from './secret-steps.ts';
