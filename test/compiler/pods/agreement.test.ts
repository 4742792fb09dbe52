/** Lintel accepts and refuses the same pod templates as the API server. */
import { expect, test } from 'vitest';
import { KUBERNETES_VERSION } from '../../../compiler/analysis/pods/pod-schema.ts';
import { DIFFERENCES } from './differences.ts';
import { allTemplates, errorsFor } from './judged.ts';
import recorded from './recorded/answers.json' with { type: 'json' };

const ANSWERS = new Map(Object.entries(recorded.answers));
const templates = [...allTemplates()];

test("answers.json is of the same Kubernetes version as Lintel's pod schema, and has the pod templates of this test and no others", () => {
  expect(recorded.version).toBe(KUBERNETES_VERSION);
  expect([...ANSWERS.keys()].sort()).toEqual(templates.map(([title]) => title).sort());
});

test.each(templates)(
  'lintel check accepts or refuses the pod template as the API server does: %s',
  (title, template) => {
    const answer = ANSWERS.get(title) === 'taken' ? 'taken' : 'refused';
    const errors = errorsFor(template);
    const verdict = errors.length === 0 ? 'taken' : 'refused';
    const isKnown = DIFFERENCES.has(title);
    const messages = errors.map(({ code, message }) => `${code} ${message}`).join('\n');
    const told = `the API server: ${ANSWERS.get(title)}\nLintel: ${messages}`;
    if (isKnown) expect(verdict, `no difference any more: ${told}`).not.toBe(answer);
    else expect(verdict, told).toBe(answer);
    for (const { code } of errors) expect(['LNT1046', 'LNT1055']).toContain(code);
  },
);

test('every pod template in the list of known differences between lintel check and the API server exists', () => {
  const titles = new Set(templates.map(([title]) => title));
  expect([...DIFFERENCES.keys()].filter(title => !titles.has(title))).toEqual([]);
});
