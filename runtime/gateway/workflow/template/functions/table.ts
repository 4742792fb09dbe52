import type { TemplateFunction } from '#schemas';
import { printAll, printLine } from '../format/print.ts';
import { printf } from '../format/printf.ts';
import { quote } from '../format/quote.ts';
import type { Budget } from '../limits.ts';
import { EvaluationError } from '../template-error.ts';
import { getTypeName, isTrue, type TemplateValue } from '../value.ts';
import { equal, isLess } from './compare.ts';
import { escaped, escapeHtml, escapeJs, escapeQuery } from './escape.ts';
import { fromJson, toJson } from './json.ts';
import { computeLength, index, slice } from './lists.ts';

export interface FunctionEntry {
  /** The minimum number of arguments; `most` is the maximum, if there is one. */
  readonly least: number;
  readonly most?: number;
  /** Whether the first argument must be a string. */
  readonly text?: 'first';
  readonly call: (values: readonly TemplateValue[], budget: Budget) => TemplateValue;
}

/** Every function of a template. */
export const FUNCTIONS: { readonly [name in TemplateFunction]: FunctionEntry } = {
  // The last argument, when no earlier one decided.
  and: { least: 1, call: values => values.at(-1) },
  or: { least: 1, call: values => values.at(-1) },
  not: { least: 1, most: 1, call: ([value], budget) => !isTrue(value, budget) },
  eq: { least: 1, call: equal },
  ne: { least: 2, most: 2, call: values => !equal(values) },
  lt: { least: 2, most: 2, call: ([a, b]) => isLess(a, b) },
  le: { least: 2, most: 2, call: ([a, b]) => isLess(a, b) || equal([a, b]) },
  // As in Go, `gt` and `ge` are the negations of `le` and `lt`; the negation matters only for values without an order.
  gt: { least: 2, most: 2, call: ([a, b]) => !(isLess(a, b) || equal([a, b])) },
  ge: { least: 2, most: 2, call: ([a, b]) => !isLess(a, b) },
  index: { least: 1, call: index },
  slice: { least: 1, call: slice },
  len: { least: 1, most: 1, call: ([value], budget) => computeLength(value, budget) },
  print: { least: 0, call: printAll },
  println: { least: 0, call: printLine },
  printf: { least: 1, text: 'first', call: ([format, ...values], budget) => printf(String(format), values, budget) },
  html: { least: 0, call: escaped(escapeHtml) },
  js: { least: 0, call: escaped(escapeJs) },
  urlquery: { least: 0, call: escaped(escapeQuery) },
  call: {
    least: 1,
    call: ([value]) => {
      throw new EvaluationError('ERR_TEMPLATE_TYPE', `call takes a function and gets a ${getTypeName(value)}`);
    },
  },
  json: { least: 1, most: 1, call: ([value], budget) => toJson(value, budget) },
  quote: { least: 1, most: 1, text: 'first', call: ([value]) => quote(String(value)) },
  fromJson: { least: 1, most: 1, text: 'first', call: ([value]) => fromJson(String(value)) },
};
