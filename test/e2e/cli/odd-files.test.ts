/** Every option that names a file, with a file that is not what the option wants: a name, a reason and no stack trace, in the golden files. */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectGolden } from '../../support/golden.ts';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, ROOT, run, temporaryFolder } from '../../support/process.ts';

const FILES = ['nope.json', 'folder.json', 'empty.json', 'binary.json'] as const;

/** Each call has FILE in the place of the file. A file in `fine` is what the option wants. */
const CALLS: readonly { readonly call: string; readonly fine?: readonly (typeof FILES)[number][] }[] = [
  { call: 'lintel check FILE' },
  { call: 'lintel diff specs FILE' },
  { call: 'lintel exposure FILE' },
  { call: 'lintel import FILE --out imported' },
  { call: 'lintel init new --yes --from FILE' },
  { call: 'lintel audit verify FILE' },
  { call: 'lintel can call notes_search specs --as FILE' },
  { call: 'lintel can call notes_search specs --args FILE' },
  { call: 'lintel matrix specs --as FILE' },
  { call: 'lintel matrix specs --as callers --expect FILE' },
  { call: 'lintel check specs --config FILE', fine: ['empty.json'] },
  { call: 'lintel check specs --catalog FILE' },
  { call: 'lintel serve specs --dotenv FILE', fine: ['empty.json'] },
  { call: 'lintel ls --token-file FILE' },
  { call: 'lintel connect claude --write --file FILE', fine: ['nope.json', 'empty.json'] },
  { call: 'lintel-runtime --bundle FILE' },
  { call: 'lintel-bridge --config FILE' },
  { call: 'lintel-controller --kubeconfig FILE' },
];

const PROGRAMS: Readonly<Record<string, string>> = {
  'lintel-runtime': PROGRAM.runtime,
  'lintel-bridge': PROGRAM.bridge,
  'lintel-controller': PROGRAM.controller,
};

test('the error of each command about an unusable file names the file and the cause', async () => {
  await using folder = await temporaryFolder({ 'folder.json/readme.txt': '', 'empty.json': '' });
  await cp(join(ROOT, 'examples/policies'), folder.path, { recursive: true });
  await writeFile(
    folder.file('binary.json'),
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]),
  );
  const texts = new Map<string, string>();
  for (const file of FILES) {
    const transcripts: string[] = [];
    for (const { call, fine = [] } of CALLS) {
      if (fine.includes(file)) continue;
      const typed = call.replace('FILE', file);
      const [name = '', ...args] = typed.split(' ');
      const program = PROGRAMS[name];
      const { code, stdout, stderr } =
        program === undefined
          ? await runLintel(args, { cwd: folder.path })
          : await run(program, args, { cwd: folder.path });
      expect([1, 2, 3], typed).toContain(code);
      expect(stdout + stderr, typed).not.toMatch(/internal error|^ +at /m);
      const shown = `${stdout}${stderr}`.replaceAll(folder.path, 'DIR');
      transcripts.push(`$ ${typed}\n${shown}exit code ${code}\n`);
    }
    texts.set(file.replace('.json', '.txt'), transcripts.join('\n'));
  }
  expectGolden(join(import.meta.dirname, 'odd-files'), texts);
});
