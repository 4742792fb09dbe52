/** A condition is not trimmed, and must render exactly true or false. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const when = (condition: string) =>
  object(
    'VirtualMCPCompositeToolDefinition',
    `\n  name: w\n  steps:\n    - id: a\n      tool: x.y\n      condition: ${condition}`,
  );

test.each<[string, string[], string[]]>([
  [
    'constants, templates and empty texts',
    [
      when("'true'"),
      when("'FALSE'"),
      when("''"),
      when("'{{ eq .params.a 1 }}'"),
      when("'{{ if .params.a }}true{{ else }} {{ end }}'"),
      when("'tr{{ .params.b }}'"),
      when("'{{ $x := 1 }}{{ $x }}'"),
    ],
    [],
  ],
  [
    'constants that are neither true nor false',
    [when("'yes'"), when("' true'"), when("'1'")],
    [
      'LNT7028 error 9:18 the condition of step "a" is always "yes", and must render exactly true or false',
      'LNT7028 error 19:18 the condition of step "a" is always " true", and must render exactly true or false',
      'LNT7028 error 29:18 the condition of step "a" is always "1", and must render exactly true or false',
    ],
  ],
  [
    'white space around a template',
    [
      when('|\n        {{ .params.a }}'),
      when("'{{ $x := 1 }} {{ $x }}'"),
      when('|-\n        {{ .params.a }}'),
      when('|\n        {{ .params.a -}}'),
    ],
    [
      'LNT7028 error 9:18 the condition of step "a" renders white space, "\\n", and must render exactly true or false',
      'LNT7028 error 20:18 the condition of step "a" renders white space, " ", and must render exactly true or false',
    ],
  ],
  [
    'other text around a template',
    [when("'x={{ .params.a }}'")],
    ['LNT7028 error 9:18 the condition of step "a" always renders "x=" as well, and must render exactly true or false'],
  ],
  ['a template that does not parse', [when("'{{ '")], []],
])('the rule conditionNeverDecides gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('conditionNeverDecides', ...objects)).toEqual(expected);
});
