/** The URL of a folder with `/` at its end, behind which the names of its entries stand. */
export function folderUrl({ url }: { readonly url: string }): string {
  return url.replace(/#.*$/s, '').replace(/\/?$/, '/')
}
