/** `npm run site [-- FOLDER]`: writes the site of the documentation into `release/site/`. */
import Eleventy from '@11ty/eleventy';
import { writeParts } from './parts.ts';
import { SITE } from './this-site.ts';

const [folder = 'release/site'] = process.argv.slice(2);
await writeParts(SITE, folder);
await new Eleventy('.', folder, { configPath: 'build/site/eleventy.config.ts', quietMode: true }).write();
