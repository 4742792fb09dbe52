/** The formats of `lintel can` by name, in the order in which the help lists them. */
import { formatJson } from '../../../diagnostics/render/json-text.ts';
import type { AccessAnswer } from '../answer.ts';
import { renderAnswerText } from './answer-text.ts';

export const ANSWER_RENDERERS = {
  text: renderAnswerText,
  json: answer => formatJson(answer),
} as const satisfies { readonly [format: string]: (answer: AccessAnswer) => string };

export type AnswerFormat = keyof typeof ANSWER_RENDERERS;

export const ANSWER_FORMATS: readonly AnswerFormat[] = Object.keys(ANSWER_RENDERERS) as AnswerFormat[];
