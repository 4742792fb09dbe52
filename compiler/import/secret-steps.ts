import type { Step } from '../starter/next-steps.ts';
import { listNotIgnored } from '../starter/project-files.ts';
import type { ImportPlan } from './plan.ts';

const WRITE_DOTENV: Step = ['cp .env.example .env', 'write each secret behind its name there'];
const ADD_TO_DOTENV: Step = [
  'add to .env what .env.example has and .env lacks',
  'write each secret behind its name there',
];

/** Instructions for giving the imported secrets to the gateway on this machine, and to nothing else. */
export interface SecretSteps {
  readonly steps: readonly Step[];
  /** What to append to commands that need the secrets. */
  readonly option: '' | ' --dotenv .env';
}

/**
 * @param ignored the text of `.gitignore`
 * @param hasDotenv whether a `.env` exists, which must not be overwritten
 */
export function listSecretSteps(
  { carried, objects }: Pick<ImportPlan, 'carried' | 'objects'>,
  ignored: string,
  hasDotenv: boolean,
): SecretSteps {
  const hasVariables = objects.some(({ secrets }) => secrets.some(({ variable }) => variable !== undefined));
  const hasSecrets = hasVariables || carried.some(({ variables }) => variables.length > 0);
  // The client's own file still has the values, unless it only refers to variables, and people commit such files.
  const steps = [
    ...new Set(
      carried.flatMap(({ file, variables }) => (variables.some(variable => variable.isWrittenOut) ? [file] : [])),
    ),
  ].filter(file => /^(?!\.\.\/)[\w.-][\w./-]*$/.test(file) && !ignored.split('\n').includes(file));
  return {
    steps: [
      ...(listNotIgnored(ignored).includes('.env')
        ? [['echo .env >> .gitignore', 'keeps your secrets out of Git'] as const]
        : []),
      ...steps.map(file => [`echo ${file} >> .gitignore`, 'keeps the secrets in this file out of Git'] as const),
      ...(hasSecrets ? [hasDotenv ? ADD_TO_DOTENV : WRITE_DOTENV] : []),
    ],
    option: hasSecrets ? ' --dotenv .env' : '',
  };
}
