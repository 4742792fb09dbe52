/** Templates come from backends and URIs from clients: no combination may block the gateway. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_URI_LENGTH, readUriTemplate, type Steps, UriTemplate } from '#shared/plan';
import { MAX_STEPS, TemplateRoutes } from '../../../runtime/gateway/routing/template-routes.ts';
import { runs } from '../../support/runs.ts';

const templateOf = (text: string) => readUriTemplate(text) as UriTemplate;
const longUri = (filling: string, end = '') =>
  `x://${filling.repeat(MAX_URI_LENGTH)}`.slice(0, MAX_URI_LENGTH - end.length) + end;

/** Processor time of this process, in microseconds, so that other processes do not count. */
function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user;
}

/** A number of steps, each of which reads a character and records something. */
function work(steps: number, uri: string): void {
  const noted = new Uint8Array(uri.length + 1);
  for (let left = steps, at = 0; left > 0; left--, at = at === uri.length ? 0 : at + 1) noted[at] = uri.charCodeAt(at);
}

/** The steps of one match without a limit. */
function stepsOf(template: UriTemplate, uri: string): number {
  const steps = { left: 10_000_000 };
  template.fits(uri, steps);
  return 10_000_000 - steps.left;
}

/** Counts the operations on it. */
class CountingTemplate extends UriTemplate {
  asked = 0;
  taken = 0;

  override fits(uri: string, steps: Steps): boolean {
    const before = steps.left;
    const fits = super.fits(uri, steps);
    this.asked++;
    this.taken += before - steps.left;
    return fits;
  }
}

function countingTemplate(text: string): CountingTemplate {
  const { prefix, parts } = templateOf(text);
  return new CountingTemplate(text, prefix, parts);
}

test.each([
  ['adjacent variables', `x://${'{a}'.repeat(32)}/z`, 'a'],
  ['one expression of many variables', `x://{${Array(32).fill('v')}}/z`, 'a'],
  ['variables that match every character', `x://${'{+a}'.repeat(32)}end`, 'e'],
  ['a literal that nearly matches everywhere', `x://{+a}${'a'.repeat(1900)}b{+b}`, 'a'],
  ['many literals that match everywhere', `x://${'{+a}aaaa'.repeat(32)}b`, 'a'],
  ['many optional parts', `x://{/${Array(32).fill('v')}}z`, '/'],
  ['an ordinary template', 'x://{name}-{version}', '-'],
])(
  'the steps and the time to match a URI template are limited by its parts and by the length of the URI: %s',
  (_, text, filling) => {
    const template = templateOf(text);
    const uri = longUri(filling, '?');
    expect(template.matches(uri)).toBe(false);
    const steps = stepsOf(template, uri);
    expect(steps).toBeLessThanOrEqual(3 * (template.parts.length + 1) * uri.length);
    const repeated = (work: () => void) => () => {
      for (let round = 0; round < 20; round++) work();
    };
    const baseline = cost(repeated(() => work(steps, uri)));
    expect(cost(repeated(() => template.matches(uri)))).toBeLessThan(50 * (baseline + 1_000));
  },
);

test('the number of steps to match a URI template depends on the text that is compared, not on the length of the URI', () => {
  expect(stepsOf(templateOf('db://{schema}/users/{id}'), `db://public/orders/${'1'.repeat(8000)}`)).toBeLessThan(30);
});

describe('templates of several backends', () => {
  /** A started part may be completed. */
  const MOST = MAX_STEPS + 3 * MAX_URI_LENGTH;

  test('matching a URI with the URI templates of all backends together takes no more than the total number of steps', () => {
    const hostile = Array.from({ length: 20_000 }, (_, index) => {
      return { template: countingTemplate(`x://${'{a}'.repeat(32)}/${index}`), backend: `hostile${index % 10}` };
    });
    expect(new TemplateRoutes(hostile).findBackend(longUri('a'))).toBeUndefined();
    const taken = hostile.reduce((sum, { template }) => sum + template.taken, 0);
    expect(taken).toBeGreaterThan(MAX_STEPS / 2);
    expect(taken).toBeLessThanOrEqual(MAX_STEPS + 10 * 3 * MAX_URI_LENGTH);
  });

  test('matching the URI templates of one backend takes at most its share of steps, and templates of other backends still match', () => {
    const hostile = Array.from({ length: 20_000 }, (_, index) => {
      return { template: countingTemplate(`x://${'{a}'.repeat(32)}/${index}`), backend: 'hostile' };
    });
    const routes = new TemplateRoutes([...hostile, { template: templateOf('x://{+path}'), backend: 'honest' }]);
    expect(routes.findBackend(longUri('a'))).toBe('honest');
    const taken = hostile.reduce((sum, { template }) => sum + template.taken, 0);
    expect(taken).toBeGreaterThan(MAX_STEPS / 4);
    expect(taken).toBeLessThanOrEqual(MOST / 2);
  });

  test('matching skips URI templates whose literal beginning differs from the URI, without any steps', () => {
    const others = Array.from({ length: 20_000 }, (_, index) => {
      return { template: countingTemplate(`x://table${index}/{+key}`), backend: `b${index % 100}` };
    });
    const own = templateOf(`x://last/${'{a}-'.repeat(4)}{a}`);
    const uri = `x://last/${'-'.repeat(8000)}`;
    expect(stepsOf(own, uri)).toBeGreaterThan(MAX_STEPS / 4);
    expect(new TemplateRoutes([...others, { template: own, backend: 'a' }]).findBackend(uri)).toBe('a');
    expect(others.filter(({ template }) => template.asked > 0)).toEqual([]);
  });

  test.each([
    ['five variables with text between them, for the longest URI', '{a}-'.repeat(4), MAX_URI_LENGTH],
    ['32 variables, for a URI of 500 characters', '{a}-'.repeat(31), 500],
  ])('the limit of steps is enough to match a URI template with %s', (_, variables, length) => {
    const template = templateOf(`x://${variables}{a}`);
    const uri = longUri('a-').slice(0, length);
    expect(new TemplateRoutes([{ template, backend: 'a' }]).findBackend(uri)).toBe('a');
  });

  test('the gateway distinguishes a thousand URI templates of one backend', () => {
    const tables = Array.from({ length: 1000 }, (_, index) => {
      return { template: templateOf(`db://{schema}/table${index}/{id}`), backend: 'a' };
    });
    const routes = new TemplateRoutes(tables);
    expect(routes.findBackend(`db://public/table999/${'1'.repeat(100)}`)).toBe('a');
    expect(routes.findBackend(`db://public/table1000/${'1'.repeat(100)}`)).toBeUndefined();
  });

  test('a URI of the maximum length matches a template, and a longer URI does not', () => {
    const routes = new TemplateRoutes([{ template: templateOf('x://{+path}'), backend: 'a' }]);
    expect(routes.findBackend(longUri('a'))).toBe('a');
    expect(routes.findBackend(`${longUri('a')}a`)).toBeUndefined();
  });

  test('the gateway finds the first matching template of those with the longest literal beginning, for any templates', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab~\uD83D\uDE00'), maxLength: 4 });
    const template = fc
      .tuple(text, fc.constantFrom('', '{v}', '{+v}', '{v}a', '{+v}b'))
      .map(([prefix, rest]) => `${prefix}${rest}`);
    let found = 0;
    fc.assert(
      fc.property(fc.uniqueArray(template, { maxLength: 12 }), fc.array(text, { maxLength: 8 }), (texts, uris) => {
        const all = texts.map(text => ({ template: templateOf(text), backend: text }));
        const routes = new TemplateRoutes(all);
        for (const uri of uris) {
          const expected = all
            .toSorted((a, b) => b.template.prefix.length - a.template.prefix.length)
            .find(({ template }) => template.matches(uri))?.backend;
          expect(routes.findBackend(uri)).toBe(expected);
          if (expected !== undefined) found++;
        }
      }),
      { seed: 14, numRuns: runs(1000) },
    );
    expect(found).toBeGreaterThan(runs(1000));
  });

  test('the URI templates of a caller together with the shared templates match like a single table of all these templates', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab~'), maxLength: 3 });
    const template = fc
      .tuple(text, fc.constantFrom('', '{v}', '{+v}', '{v}a'))
      .map(([prefix, rest]) => `${prefix}${rest}`);
    const list = fc.uniqueArray(template, { maxLength: 10 });
    const routesOf = (texts: readonly string[], backend: string) =>
      texts.toSorted().map(each => ({ template: templateOf(each), backend: `${backend} ${each}` }));
    let own = 0;
    fc.assert(
      fc.property(list, list, list, fc.array(text, { maxLength: 8 }), (shared, told, gone, uris) => {
        const texts = new Set([...told, ...gone]);
        const over = { routes: new TemplateRoutes(routesOf(told, 'own')), texts };
        const routes = new TemplateRoutes(routesOf(shared, 'shared'));
        const others = routesOf(
          shared.filter(each => !texts.has(each)),
          'shared',
        );
        const all = [...others, ...routesOf(told, 'own')].sort((a, b) => (a.template.text < b.template.text ? -1 : 1));
        const one = new TemplateRoutes(all);
        for (const uri of uris) {
          const found = routes.findBackend(uri, over);
          expect(found).toBe(one.findBackend(uri));
          if (found?.startsWith('own') === true) own++;
        }
      }),
      { seed: 15, numRuns: runs(1000) },
    );
    expect(own).toBeGreaterThan(runs(500));
  });
});
