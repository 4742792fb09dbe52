import { cedarString } from './cedar-text.ts';

/**
 * A Cedar policy that may be indented like the surrounding program: common indentation and the line break after the first backtick are removed.
 * Backslashes are passed to Cedar. Interpolated texts become Cedar string literals, quotes included, so no text can end its literal.
 *
 * @example
 * gateway.addPolicy(cedar`
 *   @id("small-payments")
 *   permit (principal in Group::${team}, action == Action::"call_tool", resource == Tool::"ledger_pay")
 *   when { context has arg_amount && context.arg_amount <= ${limit} };
 * `);
 * @throws RangeError for a number that is not a safe integer, which policies do not support
 */
export function cedar({ raw }: TemplateStringsArray, ...values: readonly (string | number | boolean)[]): string {
  const lines = raw.join('').replace(/^\n/, '').split('\n');
  const indents = lines.filter(line => line.trim() !== '').map(line => /^ */.exec(line)?.[0].length ?? 0);
  const indent = new RegExp(`^ {0,${Math.min(...indents, 1000)}}`);
  const outdented = raw.map((text, index) =>
    (index === 0 ? text.replace(/^\n/, '') : text)
      .split('\n')
      // The text directly after an interpolated value does not start a line, so it has no indentation.
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
