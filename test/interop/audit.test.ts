/** The audit's answers that are in order, ours and those of odd servers, read by the clients of others. */
import { spawnSync } from 'node:child_process'
import { audit } from '@retriever/servers/audit'
import { expect, test } from 'vitest'

const clients = {
  curl: ['curl', '-sSfL', '-m', '20', '--cacert', '{ca}', '-o', '{file}', '{url}'],
  // With -nv, it shows the password of a URL.
  wget: ['wget', '-q', '--tries=1', '--timeout=20', '--ca-certificate={ca}', '-O', '{file}', '{url}'],
}

for (const [name, command] of Object.entries(clients)) {
  const isHere = spawnSync(name, ['--version']).status === 0
  test.skipIf(!isHere)(`${name} fails none, and knows http, https and ftp`, async () => {
    const verdicts = await audit({ command, classes: ['ordinary'], timeout: 60_000 })
    expect(verdicts.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    const judged = verdicts
      .filter(({ outcome }) => outcome === 'passed')
      .map(({ name: script }) => script.split(':')[0])
    expect(judged).toEqual(expect.arrayContaining(['http', 'https', 'ftp']))
  })
}
