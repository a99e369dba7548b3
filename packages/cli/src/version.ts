/** Put in by bundle.mjs, from package.json. */
declare const RETRIEVE_VERSION: string

export const version: string = RETRIEVE_VERSION
