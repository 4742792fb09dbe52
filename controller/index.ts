/** The public face of the controller room: nothing is offered yet. */
export {};
