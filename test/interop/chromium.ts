import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { expect, type TestContext } from 'vitest'

const program = '/usr/bin/chromium'

/** Skips a test where Chromium is not installed; fails it where the programs are required. */
export function needsChromium(skip: TestContext['skip']): void {
  if (existsSync(program)) return
  const reason = 'chromium is not installed: test/interop/install.sh installs it'
  if (process.env.RETRIEVER_INTEROP !== 'required') skip(reason)
  expect.fail(reason)
}

/** A browser that finds no machine but this one. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost',
    ],
  })
}
