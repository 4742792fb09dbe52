/** The prompts of both servers. */
import { embedded, IMAGE, text } from './samples.ts';

export interface PromptArguments {
  readonly [name: string]: string;
}

type Content = ReturnType<typeof text> | ReturnType<typeof embedded> | typeof IMAGE;

interface FixedPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments?: { name: string; description: string; required: boolean }[];
  readonly contents: (given: PromptArguments) => Content[];
}

const FIXED_PROMPTS: readonly FixedPrompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'A prompt without arguments.',
    contents: () => [text('This is a simple prompt for testing.')],
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments.',
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    contents: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt that embeds a resource.',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    contents: ({ resourceUri = '' }) => [
      embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  },
  {
    name: 'test_prompt_with_image',
    description: 'A prompt with an image.',
    contents: () => [IMAGE, text('Please analyze the image above.')],
  },
];

/** The prompts in the form of `prompts/list`. */
export const PROMPTS = FIXED_PROMPTS.map(({ contents: _, ...shown }) => shown);

/** The result of `prompts/get`, or undefined when there is no such prompt. */
export function promptNamed(name: string, given: PromptArguments = {}) {
  const prompt = FIXED_PROMPTS.find(fixed => fixed.name === name);
  return prompt && { messages: prompt.contents(given).map(content => ({ role: 'user' as const, content })) };
}

/** Beginnings of city names, for `completion/complete` of any argument. */
export function complete(value: string) {
  const values = ['paris', 'park', 'party', 'test-value'].filter(city => city.startsWith(value));
  return { completion: { values, total: values.length, hasMore: false } };
}
