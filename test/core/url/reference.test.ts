import { resolve, resolveReference } from '@retriever/core'
import { describe, expect, test } from 'vitest'

const base = 'http://a/b/c/d;p?q'

/** RFC 3986 5.4, whole. */
const normal: Record<string, string> = {
  'g:h': 'g:h',
  g: 'http://a/b/c/g',
  './g': 'http://a/b/c/g',
  'g/': 'http://a/b/c/g/',
  '/g': 'http://a/g',
  '//g': 'http://g',
  '?y': 'http://a/b/c/d;p?y',
  'g?y': 'http://a/b/c/g?y',
  '#s': 'http://a/b/c/d;p?q#s',
  'g#s': 'http://a/b/c/g#s',
  'g?y#s': 'http://a/b/c/g?y#s',
  ';x': 'http://a/b/c/;x',
  'g;x': 'http://a/b/c/g;x',
  'g;x?y#s': 'http://a/b/c/g;x?y#s',
  '': 'http://a/b/c/d;p?q',
  '.': 'http://a/b/c/',
  './': 'http://a/b/c/',
  '..': 'http://a/b/',
  '../': 'http://a/b/',
  '../g': 'http://a/b/g',
  '../..': 'http://a/',
  '../../': 'http://a/',
  '../../g': 'http://a/g',
}

const abnormal: Record<string, string> = {
  '../../../g': 'http://a/g',
  '../../../../g': 'http://a/g',
  '/./g': 'http://a/g',
  '/../g': 'http://a/g',
  'g.': 'http://a/b/c/g.',
  '.g': 'http://a/b/c/.g',
  'g..': 'http://a/b/c/g..',
  '..g': 'http://a/b/c/..g',
  './../g': 'http://a/b/g',
  './g/.': 'http://a/b/c/g/',
  'g/./h': 'http://a/b/c/g/h',
  'g/../h': 'http://a/b/c/h',
  'g;x=1/./y': 'http://a/b/c/g;x=1/y',
  'g;x=1/../y': 'http://a/b/c/y',
  'g?y/./x': 'http://a/b/c/g?y/./x',
  'g?y/../x': 'http://a/b/c/g?y/../x',
  'g#s/./x': 'http://a/b/c/g#s/./x',
  'g#s/../x': 'http://a/b/c/g#s/../x',
  'http:g': 'http:g',
}

describe('RFC 3986 5.4.1, normal examples', () => {
  test.each(Object.entries(normal))('%j is %s', (reference, target) => {
    expect(resolveReference(reference, base)).toBe(target)
  })
})

describe('RFC 3986 5.4.2, abnormal examples, http:g as for strict parsers', () => {
  test.each(Object.entries(abnormal))('%j is %s', (reference, target) => {
    expect(resolveReference(reference, base)).toBe(target)
  })
})

describe('other bases', () => {
  test.each([
    ['g', 'http://a', 'http://a/g'],
    ['../g', 'http://a', 'http://a/g'],
    ['?y', 'http://a', 'http://a?y'],
    ['mid/content=5/../6', 'x:a', 'x:mid/6'],
    ['//h', 'ftp://u:p@a/b', 'ftp://h'],
    ['b', 'ftp://u@a/x/y', 'ftp://u@a/x/b'],
    ['a:b', 'http://a/', 'a:b'],
    ['./a:b', 'http://a/', 'http://a/a:b'],
    ['%2e%2e/x', 'http://a/b/c', 'http://a/b/%2e%2e/x'],
  ])('%s against %s is %s', (reference, from, target) => {
    expect(resolveReference(reference, from)).toBe(target)
  })
})

test('resolve() takes a base', () => {
  expect(resolve('../x', { base: 'ftp://h/a/b/c' }).url).toBe('ftp://h/a/x')
  expect(resolve('http://h/', { base: 'ftp://x/' }).url).toBe('http://h/')
})
