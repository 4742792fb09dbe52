/** The site of this repository, which Eleventy's configuration and templates share. */
import { ROOT, readSite, type Site } from './site.ts';

export const SITE: Site = readSite(ROOT);
