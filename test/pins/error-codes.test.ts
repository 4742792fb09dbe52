/** Error codes are permanent, because operators search logs and pages for them. Each has a section on the page. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';

const PINNED = [
  'ERR_AUDIT_SETTING',
  'ERR_AUTH_STORE',
  'ERR_AUTH_STORE_FULL',
  'ERR_BUNDLE',
  'ERR_CREDENTIAL',
  'ERR_CREDENTIAL_PLAN',
  'ERR_FORGE',
  'ERR_GIT',
  'ERR_HTTP_ADDRESS_REFUSED',
  'ERR_HTTP_TRUST',
  'ERR_KUBE_API',
  'ERR_KUBE_CONFIG',
  'ERR_LEADERSHIP_LOST',
  'ERR_LINTEL_NETWORK',
  'ERR_LISTEN',
  'ERR_OPTION',
  'ERR_POLICY',
  'ERR_REDIS',
  'ERR_SECRET',
  'ERR_SESSION_STORE',
  'ERR_TEMPLATE_ARGUMENTS',
  'ERR_TEMPLATE_FIELD',
  'ERR_TEMPLATE_INDEX',
  'ERR_TEMPLATE_JSON',
  'ERR_TEMPLATE_LIMIT',
  'ERR_TEMPLATE_TYPE',
  'ERR_TEMPLATE_VARIABLE',
];

/** Codes of Node and of libraries to which the sources compare. */
const FOREIGN = [
  'ERR_ACCESS_DENIED',
  'ERR_BUFFER_TOO_LARGE',
  'ERR_JOSE_GENERIC',
  'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL',
  'ERR_PARSE_ARGS_UNKNOWN_OPTION',
  'ERR_SSL',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_UNKNOWN_BUILTIN_MODULE',
];

const SOURCES = globSync('{bridge,compiler,controller,runtime,schemas,shared}/**/*.ts', {
  cwd: ROOT,
  exclude: path => path.includes('node_modules'),
});

const PAGE = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');

function sorted(codes: Iterable<string>): string[] {
  return [...new Set(codes)].sort();
}

test('the sources contain exactly the pinned ERR_ codes, and a few ERR_ codes that Node and libraries define', () => {
  const texts = SOURCES.map(path => readFileSync(join(ROOT, path), 'utf8'));
  const found = texts.flatMap(text => text.match(/(?<![A-Z_])ERR_[A-Z][A-Z_]*[A-Z]\b/g) ?? []);
  expect(sorted(found), 'a new code is added to PINNED').toEqual(sorted([...PINNED, ...FOREIGN]));
});

test('docs/errors.md has a section for each ERR_ code that says what to do', () => {
  const sections = PAGE.split(/^### /m).slice(1);
  expect(sorted(sections.map(section => section.split('\n', 1)[0] ?? '')), 'docs/errors.md').toEqual(PINNED);
  expect(sections).toHaveLength(PINNED.length);
  const incomplete = sections.filter(
    section => !/^ERR_[A-Z_]+\n\n[A-Z`][\s\S]+?\n\n\*\*What to do:\*\* \S/.test(section),
  );
  expect(incomplete).toEqual([]);
});
