/** Servers as in a large registry: three versions each, with packages, remotes and varied words. */
import type { RegistryEntry } from '#schemas';

export const VERSIONS: readonly string[] = ['0.9.3', '1.0.0', '1.4.2'];

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const OWNERS = ['acme', 'bluepeak', 'cobalt', 'dunes', 'everline', 'fjord', 'granite', 'harbor', 'iris', 'juniper'];
const THINGS = (
  'accounts alerts archives backups bookings branches budgets calendars catalogs charts claims clusters contacts ' +
  'contracts databases deployments documents drawings events exchange files forecasts graphs images incidents invoices ' +
  'issues journals kernels ledgers letters licenses logs maps measures messages metrics models notes orders packages ' +
  'parcels payments payrolls pipelines plans policies queues quotes receipts records recipes releases reports routes ' +
  'samples schedules schemas sensors sessions sheets shipments signals slides spaces streams surveys tables tasks ' +
  'tickets timelines tokens topics traces trades transcripts translations vaults volumes weather workflows'
).split(' ');
const DOINGS = 'browse compare count describe export find import list merge plot query read review search watch'.split(
  ' ',
);

/** The entries of so many servers, sorted by name, then version. They are the same each time. */
export function* corpus(servers: number): Generator<RegistryEntry> {
  const width = String(servers).length;
  for (let index = 0; index < servers; index++) {
    const number = String(index).padStart(width, '0');
    for (const version of VERSIONS) yield entry(index, number, version);
  }
}

/** Different terms that match many, few and no servers. */
export function searchTerms(servers: number, count: number): string[] {
  const width = String(servers).length;
  const terms = new Set<string>();
  for (let i = 0; terms.size < count; i++) {
    const random = scramble(i);
    const index = scramble(random) % servers;
    const number = String(index).padStart(width, '0');
    const term = [
      `${thingOf(index)}-${number}`.slice(random % 3),
      `${pick(DOINGS, random >>> 8)} ${pick(THINGS, random)} and ${pick(DOINGS, random >>> 16)}`.slice(random % 3),
      `${pick(OWNERS, random >>> 12)} ${number.slice(0, 1 + (random % 3))}`,
      `${pick(THINGS, random)}${number}`,
    ][i % 4];
    if (term !== undefined) terms.add(term);
  }
  return [...terms];
}

const thingOf = (index: number): string => pick(THINGS, scramble(index) >>> 4);

function entry(index: number, number: string, version: string): RegistryEntry {
  const random = scramble(index);
  const [owner, thing] = [pick(OWNERS, random), thingOf(index)];
  const [doing, also] = [pick(DOINGS, random >>> 11), pick(DOINGS, random >>> 16)];
  const name = `io.github.company-${number}/${thing}-${number}`;
  return {
    server: {
      $schema: SCHEMA,
      name,
      title: `${thing[0]?.toUpperCase()}${thing.slice(1)} ${number} by ${owner}`,
      description: `Lets a model ${doing} ${thing} and ${also} them, for ${owner} ${number}`,
      version,
      repository: { url: `https://github.com/company-${number}/${thing}`, source: 'github' },
      packages: [
        {
          registryType: 'npm',
          identifier: `@company-${number}/${thing}`,
          version,
          transport: { type: 'stdio' },
          environmentVariables: [
            { name: 'API_KEY', description: `A key for ${owner}`, isRequired: true, isSecret: true },
          ],
        },
      ],
      remotes: [{ type: 'streamable-http', url: `https://${thing}-${number}.example.com/mcp` }],
    },
    status: 'active',
    publishedAt: '2026-01-31T12:00:00.000Z',
    updatedAt: new Date(Date.UTC(2026, 1, 1) + index * 60_000).toISOString(),
  };
}

const pick = (words: readonly string[], number: number): string => words[number % words.length] ?? '';

/** Spreads consecutive numbers (one step of splitmix32). */
function scramble(number: number): number {
  let x = (number + 0x9e3779b9) | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}
