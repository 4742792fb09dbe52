/** The formats of `lintel can` by name, in the order in which the help lists them. */
import type { Answer } from '../answer.ts';
import { renderAnswerText } from './answer-text.ts';

export const ANSWER_RENDERERS = {
  text: renderAnswerText,
  json: answer => `${JSON.stringify(answer, null, 2)}\n`,
} as const satisfies { readonly [format: string]: (answer: Answer) => string };

export type AnswerFormat = keyof typeof ANSWER_RENDERERS;

export const ANSWER_FORMATS: readonly AnswerFormat[] = Object.keys(ANSWER_RENDERERS) as AnswerFormat[];
