/** The site of this repository, shared by Eleventy's configuration and templates. */
import { ROOT, readSite, type Site } from './site.ts';

export const SITE: Site = readSite(ROOT);
