/** No construct can represent a part of the spec. The message says which part, for readers of the program. */
export class NotRepresentable extends Error {}
