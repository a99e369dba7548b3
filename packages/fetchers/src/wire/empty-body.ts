/** For what is known to hold nothing. */
export async function* emptyBody(): AsyncGenerator<Uint8Array, undefined, void> {}
