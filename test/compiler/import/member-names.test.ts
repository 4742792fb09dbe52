/** The report of `lintel import` lists each server, even one with the name of a member that every JavaScript object inherits. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { imported } from './imported.ts';

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

/** Files in which each server has one unknown setting with such a name. */
const FILES: readonly (readonly [file: string, place: string, text: string])[] = [
  [
    'mcp.json',
    'mcpServers.',
    `{ "mcpServers": { ${NAMES.map(name => `"${name}": { "command": "true", "${name}": 1 }`).join(', ')} } }`,
  ],
  ['config.toml', 'mcp_servers.', NAMES.map(name => `[mcp_servers.${name}]\ncommand = "true"\n${name} = 1\n`).join('')],
  [
    'catalog.yaml',
    'registry.',
    `registry:\n${NAMES.map(name => `  ${name}: { type: remote, remote: { url: https://a.example.com/mcp }, ${name}: 1 }\n`).join('')}`,
  ],
];

test.each(FILES)('lintel import reads servers called __proto__ and constructor in %s', (name, place, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-import-'));
  try {
    const file = join(folder, name);
    writeFileSync(file, text);
    const { plan } = imported(file, name);
    expect(plan.carried.map(one => one.place)).toEqual(NAMES.map(one => `${place}${one}`));
    expect(plan.carried.map(({ server }) => server.name)).toEqual([
      'proto',
      'constructor',
      'tostring',
      'hasownproperty',
    ]);
    const reason = 'Lintel does not know it, so nothing was done about it';
    expect(plan.notCarried).toEqual(NAMES.map(one => ({ file: name, place: `${place}${one}.${one}`, reason })));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
