/** Reads files of other programs, and plans specs to replace them. */
export { type ClientServers, type Refusal, readClientServers, readServersOfClient } from './client-servers.ts';
export { FORMS, readImportedFile } from './detect.ts';
export { formatEnvExample } from './env-example.ts';
export { type ExistingSpecs, readExistingSpecs } from './existing-specs.ts';
export type { FoundServer } from './found.ts';
export { formatObjects, withErrors } from './objects-text.ts';
export { type FoundFile, type ImportPlan, planImport } from './plan.ts';
export { IMPORT_FORMATS, IMPORT_RENDERERS, type ImportFormat, renderPlan } from './render.ts';
export { listSecretSteps } from './secret-steps.ts';
