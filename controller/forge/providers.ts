import type { Forge, Provider } from './forge.ts';
import type { ForgeOptions } from './forge-options.ts';
import { createGitea } from './gitea.ts';
import { createGitHub } from './github.ts';
import { createGitLab } from './gitlab.ts';

export const PROVIDERS: { readonly [P in Provider]: (options: ForgeOptions) => Forge } = {
  github: createGitHub,
  gitlab: createGitLab,
  gitea: createGitea,
};
