/**
 * Changes that no test can notice, with the reason: `code` and `change` as pnpm mutate prints them. A row that no
 * survivor of its file has is listed as one too many.
 */
export const equivalents = []
