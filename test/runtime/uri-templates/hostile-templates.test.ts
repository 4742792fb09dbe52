/** Templates come from backends and URIs from clients: together they must not stop the gateway. */
import { describe, expect, test } from 'vitest';
import { MAX_STEPS, MAX_URI_LENGTH, TemplateRoutes } from '../../../runtime/gateway/template-routes.ts';
import { readUriTemplate, UriTemplate } from '../../../runtime/gateway/uri-template.ts';

const templateOf = (text: string) => readUriTemplate(text) as UriTemplate;
const longUri = (filling: string, end = '') =>
  `x://${filling.repeat(MAX_URI_LENGTH)}`.slice(0, MAX_URI_LENGTH - end.length) + end;

/** Processor time of this process, in microseconds: others on the machine do not count. */
function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user;
}

/** As many steps as `template` may take over `uri`, each of which looks at a character and notes something. */
function steps(template: UriTemplate, uri: string): void {
  const noted = new Uint8Array(uri.length + 1);
  for (let left = template.stepsFor(uri.length), at = 0; left > 0; left--, at = at === uri.length ? 0 : at + 1) {
    noted[at] = uri.charCodeAt(at);
  }
}

test.each([
  ['all variables beside each other', `x://${'{a}'.repeat(32)}/z`, 'a'],
  ['one expression of many variables', `x://{${Array(32).fill('v')}}/z`, 'a'],
  ['variables that take everything', `x://${'{+a}'.repeat(32)}end`, 'e'],
  ['a literal that nearly is everywhere', `x://{+a}${'a'.repeat(1900)}b{+b}`, 'a'],
  ['many literals that are everywhere', `x://${'{+a}aaaa'.repeat(32)}b`, 'a'],
  ['many optional parts', `x://{/${Array(32).fill('v')}}z`, '/'],
  ['an honest template', 'x://{name}-{version}', '-'],
])('matching takes as many steps as it says: %s', (_, text, filling) => {
  const template = templateOf(text);
  const uri = longUri(filling, '?');
  expect(template.matches(uri)).toBe(false);
  const repeated = (work: () => void) => () => {
    for (let round = 0; round < 20; round++) work();
  };
  const baseline = cost(repeated(() => steps(template, uri)));
  expect(cost(repeated(() => template.matches(uri)))).toBeLessThan(50 * (baseline + 1_000));
});

describe('templates of several backends', () => {
  let taken = 0;
  class CountingTemplate extends UriTemplate {
    override matches(uri: string): boolean {
      taken += this.stepsFor(uri.length);
      return super.matches(uri);
    }
  }

  test('one backend cannot take more steps than its own share, and hides nobody', () => {
    taken = 0;
    const hostile = Array.from({ length: 20_000 }, (_, index) => {
      const { prefix, parts } = templateOf(`x://${'{a}'.repeat(32)}/${index}`);
      return { template: new CountingTemplate(prefix, parts), backend: 'hostile' };
    });
    const routes = new TemplateRoutes([...hostile, { template: templateOf('x://{+path}'), backend: 'honest' }]);
    expect(routes.backendOf(longUri('a'))).toBe('honest');
    expect(taken).toBeGreaterThan(MAX_STEPS / 2);
    expect(taken).toBeLessThanOrEqual(MAX_STEPS);
  });

  test('many templates of another beginning cost no steps', () => {
    const others = Array.from({ length: 20_000 }, (_, index) => {
      return { template: templateOf(`x://table${index}/{+key}`), backend: 'a' };
    });
    const routes = new TemplateRoutes([...others, { template: templateOf('x://last/{+key}'), backend: 'a' }]);
    expect(routes.backendOf(`x://last/${'k'.repeat(8000)}`)).toBe('a');
  });

  test('any template may take the steps that it needs', () => {
    const largest = templateOf(`x://${'{a}-'.repeat(32)}`);
    expect(largest.stepsFor(MAX_URI_LENGTH)).toBeLessThan(MAX_STEPS);
    expect(new TemplateRoutes([{ template: largest, backend: 'a' }]).backendOf(longUri('a-'))).toBe('a');
  });

  test('a URI of the greatest length matches, one that is longer does not', () => {
    const routes = new TemplateRoutes([{ template: templateOf('x://{+path}'), backend: 'a' }]);
    expect(routes.backendOf(longUri('a'))).toBe('a');
    expect(routes.backendOf(`${longUri('a')}a`)).toBeUndefined();
  });
});
