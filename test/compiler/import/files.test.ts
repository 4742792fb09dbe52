/** `lintel import` of configuration files as the clients themselves write them, with the exact result for each server. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatObjects, planImport, readImportedFile } from '../../../compiler/import/index.ts';
import { findErrors } from '../../../compiler/starter/server-problem.ts';
import { formatServers } from '../../../compiler/starter/specs-text.ts';
import { expectGolden } from '../../support/golden.ts';
import { FILES, imported } from './imported.ts';

test.each(readdirSync(FILES))('lintel import of %s writes the expected files, without a secret', name => {
  const { plan, specs, env, text, json } = imported(join(FILES, name), name);
  for (const written of [specs ?? '', env, text, json]) expect(written).not.toMatch(/S3CRET(?!_TOKEN)/);
  // Referenced objects may be elsewhere; each document by itself belongs to this version.
  const isOfOne = ({ code }: { readonly code: string }) => plan.objects.length === 0 || code.startsWith('LNT1');
  if (specs !== undefined) expect(findErrors(specs).filter(isOfOne)).toEqual([]);
  const files = new Map([
    ['report.txt', text],
    ['report.json', json],
    ['.env.example', env],
    ...(specs === undefined ? [] : [['specs.yaml', specs] as const]),
  ]);
  expectGolden(join(import.meta.dirname, 'goldens', 'cases', name), files);
});

test('lintel import writes a value into the specs if --plain declares that it is no secret', () => {
  const plain = ['x-mcp-toolsets', 'X-Tenant', 'project_ref', 'path'];
  expect(imported(join(FILES, 'vscode.mcp.json'), 'a', plain).specs).toContain('X-MCP-Toolsets: repos,issues\n');
  expect(imported(join(FILES, 'claude.mcp.json'), 'a', plain).specs).toContain('X-Tenant: acme-S3CRET-tenant\n');
  const { specs } = imported(join(FILES, 'cursor.mcp.json'), 'a', plain);
  expect(specs).toContain('?read_only=true&project_ref=abcdefghijklmnopqrst\n');
  expect(specs).toContain('https://mcp.zapier.com/api/mcp/s/S3CRETNjYzYTlk1MDU4OWQ/mcp\n');
});

test('lintel import puts servers of ToolHive run configurations into the group of a vMCP configuration', () => {
  const files = ['vmcp.config.yaml', 'toolhive.github.json'].flatMap(name =>
    readImportedFile(join(FILES, name)).map(found => ({ file: name, found })),
  );
  const plan = planImport(files, { taken: new Set(), plain: new Set() });
  expect(plan.group).toBe('team-tools');
  expect(plan.notCarried.map(({ place }) => place)).not.toContain('group');
  const text = [
    formatServers(
      plan.carried.map(({ server }) => server),
      'team-tools',
    ),
    formatObjects(plan.objects),
  ].join('---\n');
  expect(findErrors(text).map(({ code, message }) => `${code} ${message}`)).toEqual([]);
});
