import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

describe('links in Markdown lead to files and headings of the repository', () => {
  test.each(pages)('%s', (page) => {
    const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const local = links.filter((link) => !/^[a-z]+:/.test(link))
    expect(local.filter((link) => !leadsSomewhere(page, link))).toEqual([])
  })
})

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, target))) return false
  return heading === undefined || headings(target).includes(heading)
}

/** As GitHub makes anchors of them. */
function headings(page: string): string[] {
  const titles = [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title)
  return titles.map((title) =>
    title
      .trim()
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** The page without code, in which brackets and parentheses are no links. */
function prose(page: string): string {
  const text = readFileSync(join(root, page), 'utf8')
  return text.replace(/```.*?```/gs, '').replace(/`[^`\n]*`/g, '')
}
