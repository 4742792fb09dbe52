/** Lintel's templates give Go's results for the same data: `cases.json` was recorded from Go itself, never written by hand. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseTemplate } from '../../compiler/analysis/templates/index.ts';
import { evaluateTemplate, TemplateError } from '../../runtime/gateway/workflow/template/index.ts';

interface Recorded {
  readonly name: string;
  readonly template: string;
  /** A key of `data`. */
  readonly data: string;
  readonly output?: string;
  /** `syntax`, or the kind of error with which the evaluation ends. */
  readonly error?: string;
}

const { data, cases } = JSON.parse(readFileSync(new URL('./cases.json', import.meta.url), 'utf8')) as {
  readonly data: { readonly [name: string]: unknown };
  readonly cases: readonly Recorded[];
};

/** The differences that `compiler/analysis/templates/README.md` explains; an obsolete entry fails. */
const DIFFERENCES: { readonly [name: string]: Pick<Recorded, 'output' | 'error'> } = {
  'stray bytes 1': { error: 'syntax' },
  'room behind a slice 1': { error: 'index' },
  'newer Unicode 1': { output: '"\u1c89"' },
  'deep nesting 1': { error: 'syntax' },
  'many steps 1': { error: 'limit' },
};

test.each(cases)(
  "a workflow template renders or fails like Go's text/template, apart from known differences: $name: $template",
  recorded => {
    const goes = { output: recorded.output, error: recorded.error };
    const ours = outcomeOf(recorded.template, data[recorded.data]);
    const difference = DIFFERENCES[recorded.name];
    if (difference !== undefined) expect(ours).not.toEqual(goes);
    expect(ours).toEqual(difference ?? goes);
  },
);

test("every recorded difference from Go's text/template has the name of a recorded case", () => {
  const names = cases.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(Object.keys(DIFFERENCES)));
});

function outcomeOf(template: string, scope: unknown): Pick<Recorded, 'output' | 'error'> {
  const parsed = parseTemplate(template);
  if ('errors' in parsed) return { error: 'syntax' };
  try {
    // The runtime gets a tree as JSON.
    return { output: evaluateTemplate(JSON.parse(JSON.stringify(parsed.tree)), scope) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { error: error.code.replace('ERR_TEMPLATE_', '').toLowerCase() };
  }
}
