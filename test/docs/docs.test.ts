import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { mqttMessageSchema, resultSchema, wsMessageSchema } from '../../packages/cli/src/results/schema.ts'
import { useBundle } from '../support/cli/run.ts'
import { cookbookSections } from './cookbook-page.ts'
import { curlPage } from './curl-page.ts'
import { optionsPage } from './options-page.ts'
import { requestOptionsTable } from './request-options.ts'
import { schemePages } from './scheme-pages.ts'
import { code, statementsPage } from './statements-page.ts'
import { errorsPage, exitCodesPage, fillIn, memberTable, runExamples, schemeTable } from './tables.ts'

useBundle()
const root = fileURLToPath(new URL('../../', import.meta.url))

describe('generated documentation is what the tables say (pnpm run docs writes it)', () => {
  test('docs/errors.md', () => expect(errorsPage()).toMatchFileSnapshot(`${root}docs/errors.md`))

  test('docs/exit-codes.md', () => expect(exitCodesPage()).toMatchFileSnapshot(`${root}docs/exit-codes.md`))

  test('docs/options.md', () => expect(optionsPage()).toMatchFileSnapshot(`${root}docs/options.md`))

  test('docs/curl.md', () => expect(curlPage()).toMatchFileSnapshot(`${root}docs/curl.md`))

  test('docs/rfc1738.md', () => expect(statementsPage()).toMatchFileSnapshot(`${root}docs/rfc1738.md`))

  test('a command with a tab is shown once, as a shell reads it', () => {
    expect(code("retrieve explain 'http://h/a\tb'")).toBe("`retrieve explain $'http://h/a\\tb'`")
  })

  test('the schemas of docs/json.md', async () => {
    let page = await readFile(`${root}docs/json.md`, 'utf8')
    for (const [name, schema] of [
      ['result', resultSchema],
      ['mqtt-message', mqttMessageSchema],
      ['ws-message', wsMessageSchema],
    ] as const) {
      page = fillIn(page, name, memberTable(schema))
      await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`${root}docs/json-schema/${name}.json`)
    }
    await expect(page).toMatchFileSnapshot(`${root}docs/json.md`)
  })

  test('docs/library.md', async () => {
    const page = await readFile(`${root}docs/library.md`, 'utf8')
    await expect(fillIn(page, 'request-options', requestOptionsTable())).toMatchFileSnapshot(`${root}docs/library.md`)
  })

  test('docs/cookbook.md', async () => {
    const page = await readFile(`${root}docs/cookbook.md`, 'utf8')
    await expect(fillIn(page, 'cookbook', cookbookSections())).toMatchFileSnapshot(`${root}docs/cookbook.md`)
  })

  test('docs/schemes/README.md', () => {
    const errors =
      'The page of a scheme names the errors that have causes of their own there; [errors](../errors.md) has all.'
    const page = `# Schemes\n\n${errors}\n\n${schemeTable('')}\n`
    return expect(page).toMatchFileSnapshot(`${root}docs/schemes/README.md`)
  })

  test.each(schemePages.map(({ page }) => page))('the examples of docs/schemes/%s', async (name) => {
    const path = `${root}docs/schemes/${name}`
    const page = await readFile(path, 'utf8')
    const headings = [...page.matchAll(/^## (.*)$/gm)].map((match) => match[1])
    expect(headings).toEqual(['Syntax', 'Meaning', 'What is sent', 'Result', 'Errors', 'Spec'])
    await expect(await runExamples(page)).toMatchFileSnapshot(path)
  })
})
