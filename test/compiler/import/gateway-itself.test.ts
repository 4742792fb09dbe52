/** `lintel import` does not import an entry that `lintel connect` wrote for the gateway itself, which would become its own backend. */
import { expect, test } from 'vitest';
import { KNOWN_CLIENTS } from '../../../compiler/connect/clients.ts';
import { mergeJson } from '../../../compiler/connect/merge-json.ts';
import { formatToml } from '../../../compiler/connect/merge-toml.ts';
import { temporaryFolder } from '../../support/process.ts';
import { imported } from './imported.ts';

const OTHER = { name: 'other', url: 'http://127.0.0.1:9000/mcp', tokenVariable: undefined };

test.each(Object.entries(KNOWN_CLIENTS))(
  "lintel import leaves out a client's entry for the Lintel gateway itself, in the file of %s",
  async (_, { format, entry }) => {
    const own = entry({ name: 'lintel', url: 'http://localhost:4483/mcp', tokenVariable: undefined });
    const file = format === 'toml' ? 'config.toml' : 'mcp.json';
    const text =
      format === 'toml'
        ? `${formatToml(own)}\n${formatToml(entry(OTHER))}`
        : mergeJson(file, mergeJson(file, '', own, false), entry(OTHER), false);
    await using folder = await temporaryFolder({ [file]: text });
    const { plan } = imported(folder.file(file), file);
    expect(plan.off).toEqual([
      { file, place: own.path.join('.'), reason: 'this is where `lintel dev` serves the gateway itself' },
    ]);
    expect(plan.carried.map(({ server }) => server.name)).toEqual(['other']);
  },
);
