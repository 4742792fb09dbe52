/** Memory of `lintel lsp` over a thousand gateways, after a day in an editor. `npm run bench:language-server` measures the times. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { gatewayTexts } from '../../bench/gateways.ts';
import { Editor } from '../../support/editor.ts';
import { eventually, temporaryFolder } from '../../support/process.ts';

const GATEWAYS = 1_000;
/** Resident megabytes of the server: when idle, and at any time. The first compilation has only V8's default heap. */
const MOST = { atRest: 350, ever: 500 };
const CHANGES = 60;

test.skipIf(process.platform !== 'linux')(
  `the language server uses at most ${MOST.atRest} MB for ${GATEWAYS} gateways, even after ${CHANGES} changes`,
  async () => {
    const texts = gatewayTexts(GATEWAYS);
    await using folder = await temporaryFolder({
      'lintel.yaml': 'sources: [specs]\n',
      ...Object.fromEntries(texts.map(({ file, text }) => [`specs/${file}`, text])),
    });
    await using editor = await Editor.in(folder.path);
    const megabytes = async (field: string) => {
      const status = await readFile(`/proc/${editor.pid}/status`, 'utf8');
      return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
    };
    // The garbage of a compilation is collected after its response was sent.
    const rest = () => eventually(async () => (await megabytes('VmRSS')) <= MOST.atRest);

    // A file with a finding even before a change: its arrival shows that the first findings are complete.
    const edited = `specs/${texts[Math.floor(GATEWAYS / 6) * 3 + 1]?.file}`;
    await editor.open(edited);
    await editor.diagnostics(edited, list => list.length > 0);
    await rest();
    for (let change = 0; change < CHANGES; change++) {
      const [from, to] = change % 2 === 0 ? ['prefix\n', 'prefics\n'] : ['prefics\n', 'prefix\n'];
      await editor.replace(edited, `conflictResolution: ${from}`, `conflictResolution: ${to}`);
      await editor.diagnostics(edited, list => list.some(({ code }) => code === 'LNT1011') === (change % 2 === 0));
    }
    await rest();
    expect(await megabytes('VmHWM')).toBeLessThan(MOST.ever);
  },
);
