import { cedarString } from './cedar-text.ts';

/**
 * A policy in Cedar that may be indented like the program around it. What all of its lines are indented by is left out, and so is the
 * line break after the first backtick; backslashes are Cedar's. Texts that are put in come out as Cedar's string literals, quotes
 * included, so nothing in them can end the string that they are.
 *
 * @example
 * gateway.addPolicy(cedar`
 *   @id("small-payments")
 *   permit (principal in Group::${team}, action == Action::"call_tool", resource == Tool::"ledger_pay")
 *   when { context has arg_amount && context.arg_amount <= ${limit} };
 * `);
 * @throws RangeError for a number that is no safe integer: policies know no others
 */
export function cedar({ raw }: TemplateStringsArray, ...values: readonly (string | number | boolean)[]): string {
  const lines = raw.join('').replace(/^\n/, '').split('\n');
  const indents = lines.filter(line => line.trim() !== '').map(line => /^ */.exec(line)?.[0].length ?? 0);
  const indent = new RegExp(`^ {0,${Math.min(...indents, 1000)}}`);
  const outdented = raw.map((text, index) =>
    (index === 0 ? text.replace(/^\n/, '') : text)
      .split('\n')
      // The first piece of what follows a value is no beginning of a line.
      .map((line, at) => (at === 0 && index > 0 ? line : line.replace(indent, '')))
      .join('\n'),
  );
  return outdented
    .map((text, index) => (index < values.length ? text + literal(values[index]) : text))
    .join('')
    .replace(/\n *$/, '\n');
}

function literal(value: string | number | boolean | undefined): string {
  if (typeof value === 'string') return cedarString(value);
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new RangeError(`policies know integers only, not ${value}`);
  return `${value}`;
}
