/** Writes the site into a folder, and returns the number of its pages, images included. */
export function buildSite(target: string): number
