/** Workflow templates: Go's `text/template`, parsed before anything runs. */
export { type ParsedTemplate, parseTemplate } from './parse-template.ts';
export { printTemplate } from './print-template.ts';
export { listPrintedPaths } from './printed-paths.ts';
export { listReferencedPaths, type ReferencedPath } from './referenced-paths.ts';
export type { TemplateSyntaxError } from './syntax-error.ts';
