import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../../docs/schemes/', import.meta.url)

/** The pages of schemes, each with the schemes of its title: `# ftp, ftps, ftpes`. */
export const schemePages: readonly { readonly page: string; readonly schemes: readonly string[] }[] = readdirSync(
  folder,
)
  .filter((page) => page !== 'README.md')
  .map((page) => {
    const [title = ''] = readFileSync(new URL(page, folder), 'utf8').split('\n')
    return { page, schemes: title.replace('# ', '').split(', ') }
  })

/** The page on a scheme. */
export function pageOf(scheme: string): string {
  const found = schemePages.find(({ schemes }) => schemes.includes(scheme))
  if (found === undefined) throw new Error(`No title of a page in docs/schemes names ${scheme}.`)
  return found.page
}
