/**
 * `npm run bench:libraries [-- --quick]`: Lintel's own code next to the library that could replace it, alternately in one process. Figures are
 * processor time, so that a busy machine matters less; the ratio is more reliable than the figures.
 */
import { COMPARISONS } from './libraries/comparisons.ts';
import { compare } from './libraries/paired.ts';

const rounds = process.argv.includes('--quick') ? 3 : 15;

const time = (us: number): string => (us < 1_000 ? `${us.toPrecision(3)} us` : `${(us / 1_000).toPrecision(3)} ms`);

console.log('| Work | Ours | Library | Ratio | Who waits |\n| --- | --- | --- | --- | --- |');
for (const prepare of COMPARISONS) {
  const compared = prepare();
  const { ours, theirs } = await compare(compared, rounds);
  const library = `${time(theirs)} (\`${compared.library}\`)`;
  console.log(`| ${compared.name} | ${time(ours)} | ${library} | ${(theirs / ours).toFixed(1)} | ${compared.waits} |`);
}
