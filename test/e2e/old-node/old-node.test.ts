/** On a Node that is too old, each program reports that before any missing function throws. */
import { expect, test } from 'vitest';
import { PROGRAM, run } from '../../support/process.ts';

/** This Node with the version of an old one, and without a function that the HTTP client calls while it loads. */
const OLD = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.0' } });
delete process.getBuiltinModule('node:worker_threads').markAsUncloneable;`;

test.each(['lintel', 'runtime', 'controller', 'bridge'] as const)(
  'the program %s exits with code 2 on an old Node and names the version that it needs',
  async program => {
    const nodeOptions = ['--import', `data:text/javascript,${encodeURIComponent(OLD)}`];
    const { code, stderr } = await run(PROGRAM[program], [], { nodeOptions });
    expect(stderr).toContain('Node 20.11.0 is too old, 22.19 or later is needed');
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(2);
  },
);
