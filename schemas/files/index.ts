/** Every file that is not an object of the API group. */
import type { FileDefinition } from '../kinds/define.ts';
import { registryConfig } from '../registry-config/index.ts';
import { catalogLock } from './catalog-lock.ts';
import { projectFile } from './project-file.ts';
import { workflowTests } from './workflow-test.ts';

/** The definitions of these files, in alphabetical order of their types. */
export const FILES: readonly FileDefinition[] = [catalogLock, projectFile, registryConfig, workflowTests];
