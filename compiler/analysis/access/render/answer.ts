/** The formats of `lintel can` by name, in the order in which the help lists them. */
import { formatJson } from '../../../diagnostics/render/json-text.ts';
import type { AccessAnswer } from '../answer.ts';
import type { RegistryAnswer } from '../registry-answer.ts';
import { renderAnswerText } from './answer-text.ts';
import { renderRegistryAnswerText } from './registry-answer-text.ts';

export const ANSWER_RENDERERS = {
  text: answer => (answer.action === 'see' ? renderRegistryAnswerText(answer) : renderAnswerText(answer)),
  json: answer => formatJson(answer),
} as const satisfies { readonly [format: string]: (answer: AccessAnswer | RegistryAnswer) => string };

export type AnswerFormat = keyof typeof ANSWER_RENDERERS;

export const ANSWER_FORMATS: readonly AnswerFormat[] = Object.keys(ANSWER_RENDERERS) as AnswerFormat[];
