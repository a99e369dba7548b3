/** Commands as they are printed, read by shells. */
import { spawnSync } from 'node:child_process'
import { shellCommand } from '@retriever/core/internal'
import { describe, expect, test } from 'vitest'

const shells = ['sh', 'bash', 'dash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0)

describe.each(shells)('%s reads each word as it is', (shell) => {
  test.each([
    // bash takes a word that looks like an assignment for one, and has a home directory for this.
    ['x=~'],
    ['x=~root'],
    ['x=/a:~'],
    ['~'],
    ['http://h.example/~ann?a=b'],
    ["it's", '$HOME', '`id`', '{a,b}', '*', '!x', ''],
  ])('%j', (...words) => {
    const { stdout } = spawnSync(shell, ['-c', shellCommand(['printf', '%s\\0', ...words])], { encoding: 'utf8' })
    expect(stdout.split('\0').slice(0, -1)).toEqual(words)
  })
})
