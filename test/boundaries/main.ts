/** `npm run boundaries`: runs dependency-cruiser over the rooms, and fails when it read too few modules. */
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import rooms from '../../build/rooms.json' with { type: 'json' };

const ROOMS = Object.keys(rooms);

/** Fewer modules than this mean that the tool could not parse the sources, which has happened after TypeScript releases. */
const LEAST_MODULES = 150;

const config = await extractConfig('./.dependency-cruiser.cjs');
const { output } = await cruise(
  ROOMS,
  { ...config.options, ruleSet: config, validate: true },
  config.options?.enhancedResolveOptions ?? {},
  { tsConfig: extractTsConfig('tsconfig.json') },
);
const { modules, summary } = output as ICruiseResult;
const own = modules.filter(({ source }) => ROOMS.some(room => source.startsWith(`${room}/`)));
for (const { rule, from, to } of summary.violations) {
  process.stderr.write(`${rule.severity} ${rule.name}: ${from} -> ${to}\n`);
}
if (own.length < LEAST_MODULES) {
  process.stderr.write(`only ${own.length} modules were read, expected at least ${LEAST_MODULES}\n`);
  process.exit(1);
}
process.stdout.write(`${own.length} modules read, ${summary.violations.length} boundaries crossed\n`);
process.exit(summary.violations.length > 0 ? 1 : 0);
