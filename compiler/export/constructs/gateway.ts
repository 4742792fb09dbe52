import type { VirtualMCPServerSpec } from '#schemas';
import { chosenIncomingAuth } from '../../resolve/chosen-incoming-auth.ts';
import { Unsayable, type Writing } from './construct.ts';

/** `Gateway` makes its policies of grants, in a text of its own, and always has some: a text by hand would come out as another one. */
export function gateway({ object }: Writing): never {
  const { policies } = chosenIncomingAuth((object.value.spec ?? {}) as VirtualMCPServerSpec);
  throw new Unsayable(
    policies === undefined
      ? 'it has no policies, and a `Gateway` permits only what is granted.'
      : 'its policies are texts, and a `Gateway` has grants.',
  );
}
