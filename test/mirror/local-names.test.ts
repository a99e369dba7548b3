import { dirname, join, win32 } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LocalNames } from '../../packages/fetchers/src/mirror/local-names.ts'

const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('.', '/', '\\', '\0', 'A', 'a', '_', ' ', ':', 'é', 'e\u0301', '\u202E') }),
  fc.constantFrom('..', 'CON', 'nul.txt', 'x.part', 'X.PART.JSON', 'a'.repeat(300)),
)

test('case 58, property 9: any names of one folder become distinct ones in it, by letter case, too, if the system ignores it', () => {
  fc.assert(
    fc.property(fc.array(name), fc.boolean(), (segments, ignoresCase) => {
      const names = new LocalNames(ignoresCase)
      const claims = segments.map((segment, n) => names.claim('sub', segment, `http://h/${n}`))
      const local = claims.flatMap((claim) => (claim.is === 'free' ? [claim.local] : []))
      expect(new Set(local.map((path) => (ignoresCase ? path.toLowerCase() : path))).size).toBe(local.length)
      for (const path of local) {
        expect(dirname(join('/root', path))).toBe('/root/sub')
        expect(win32.dirname(win32.join('C:\\root', path))).toBe('C:\\root\\sub')
        expect(path).not.toMatch(/\.part(\.json)?$/i)
        expect(names.has(path)).toBe(true)
      }
    }),
  )
})

test('README and readme are one name where the file system ignores the case', () => {
  const names = new LocalNames(true)
  expect(names.claim('', 'README', 'http://h/1')).toEqual({ is: 'free', local: 'README' })
  expect(names.claim('', 'readme', 'http://h/2')).toMatchObject({
    is: 'free',
    local: expect.stringMatching(/^readme~[\da-f]{8}$/),
  })
  expect(names.claim('', 'README', 'http://h/1')).toEqual({ is: 'repeated' })
})
