import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chained, formatLog } from '../../compiler/audit-log/logs.ts';
import { expectGolden } from '../../support/golden.ts';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';

test('`lintel audit verify` prints its result on a terminal', async () => {
  await using folder = await temporaryFolder();
  const { lines, head } = chained(9);
  const without = (...numbers: readonly number[]) => lines.filter((_, index) => !numbers.includes(index + 1));
  const logs: Readonly<Record<string, string>> = {
    'whole.jsonl': formatLog(lines.slice(5)),
    'whole.jsonl.1': formatLog(lines.slice(0, 5)),
    'edited.jsonl': formatLog(lines).replace(/search/, 'delete'),
    'gap.jsonl': formatLog(without(3, 4)),
    'cut.jsonl': formatLog(without(8, 9)),
    'plain.jsonl': '{"audit_id":"1"}\n',
  };
  for (const [name, text] of Object.entries(logs)) await writeFile(folder.file(name), text);
  const cases: readonly (readonly [name: string, code: number, args: readonly string[]])[] = [
    ['whole', 0, ['whole.jsonl', 'whole.jsonl.1']],
    ['whole-with-head', 0, ['whole.jsonl', 'whole.jsonl.1', '--head', head.hash]],
    ['whole-json', 0, ['whole.jsonl', 'whole.jsonl.1', '--format', 'json']],
    ['edited', 1, ['edited.jsonl']],
    ['edited-json', 1, ['edited.jsonl', '--format', 'json']],
    ['gap', 1, ['gap.jsonl']],
    ['rest', 0, ['whole.jsonl']],
    ['cut', 0, ['cut.jsonl']],
    ['cut-with-head', 1, ['cut.jsonl', '--head', head.hash]],
    ['plain', 3, ['plain.jsonl']],
    ['no-file', 2, ['nothing.jsonl']],
    ['no-hash', 2, ['whole.jsonl', '--head', '9']],
  ];
  const texts = new Map<string, string>();
  for (const [name, expected, args] of cases) {
    const { code, stdout, stderr } = await runLintel(['audit', 'verify', ...args], { cwd: folder.path });
    expect(code, `${name}: ${stdout}${stderr}`).toBe(expected);
    texts.set(`${name}.txt`, `$ lintel audit verify ${args.join(' ')}\n${stdout}${stderr}`);
  }
  expectGolden(join(import.meta.dirname, 'audit'), texts);
});
