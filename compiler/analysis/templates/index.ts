/** Workflow templates: Go's `text/template`, parsed before anything runs. */
export { type ParsedTemplate, parseTemplate } from './parse-template.ts';
export { printTemplate } from './print-template.ts';
export { printedPaths } from './printed-paths.ts';
export { type ReferencedPath, referencedPaths } from './referenced-paths.ts';
export type { TemplateSyntaxError } from './syntax-error.ts';
