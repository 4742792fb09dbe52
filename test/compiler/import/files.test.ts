/** Configurations as the programs themselves write them: what becomes of each server, to the letter. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorsOf } from '../../../compiler/starter/server-problem.ts';
import { expectGolden } from '../../support/golden.ts';
import { FILES, imported } from './imported.ts';

test.each(readdirSync(FILES))('%s', name => {
  const { specs, env, text, json } = imported(join(FILES, name), name);
  for (const written of [specs ?? '', env, text, json]) expect(written).not.toMatch(/S3CRET(?!_TOKEN)/);
  if (specs !== undefined) expect(errorsOf(specs)).toEqual([]);
  const files = new Map([
    ['report.txt', text],
    ['report.json', json],
    ['.env.example', env],
    ...(specs === undefined ? [] : [['specs.yaml', specs] as const]),
  ]);
  expectGolden(join(import.meta.dirname, 'goldens', 'cases', name), files);
});

test('what a person says is no secret is written', () => {
  const plain = ['x-mcp-toolsets', 'X-Tenant', 'project_ref', 'path'];
  expect(imported(join(FILES, 'vscode.mcp.json'), 'a', plain).specs).toContain('X-MCP-Toolsets: repos,issues\n');
  expect(imported(join(FILES, 'claude.mcp.json'), 'a', plain).specs).toContain('X-Tenant: acme-S3CRET-tenant\n');
  const { specs } = imported(join(FILES, 'cursor.mcp.json'), 'a', plain);
  expect(specs).toContain('?read_only=true&project_ref=abcdefghijklmnopqrst\n');
  expect(specs).toContain('https://mcp.zapier.com/api/mcp/s/S3CRETNjYzYTlk1MDU4OWQ/mcp\n');
});
