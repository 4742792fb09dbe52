/** The evaluator of workflow templates. */
export { evaluateTemplate } from './evaluate.ts';
export { TemplateError, type TemplateErrorCode } from './template-error.ts';
