/** The URLs that wait for one server, in the order in which they begin. */
import { expect, test } from 'vitest'
import { WaitingList } from '../../../packages/fetchers/src/client/batch/waiting-list.ts'
import { random } from '../../support/random.ts'

interface Element {
  readonly name: number
  readonly priority: number
}

/** Does the same, by sorting all elements each time. */
class SortedList {
  readonly elements: Element[] = []

  add(element: Element): void {
    this.elements.push(element)
    this.elements.sort((one, other) => other.priority - one.priority)
  }

  addFirst(element: Element): void {
    this.elements.unshift(element)
    this.elements.sort((one, other) => other.priority - one.priority)
  }

  delete(element: Element): boolean {
    const at = this.elements.indexOf(element)
    if (at < 0) return false
    this.elements.splice(at, 1)
    return true
  }
}

test.each([
  ['of one priority', [0]],
  ['of three priorities', [0, -2, 5]],
])('elements %s come, go and are removed as in a list that is sorted each time', (_, priorities) => {
  for (let seed = 1; seed <= 5; seed++) {
    const next = random(seed)
    const draw = (count: number): number => Math.floor(next() * count)
    const [list, sorted] = [new WaitingList<Element>(), new SortedList()]
    let gone: Element = { name: -1, priority: 0 }
    for (let name = 0; name < 400; name++) {
      const element = { name, priority: priorities[draw(priorities.length)] ?? 0 }
      // It grows for a while, and becomes empty again.
      const step = draw(name % 100 < 60 ? 8 : 14)
      if (step < 3) {
        list.add(element)
        sorted.add(element)
      } else if (step < 5) {
        list.addFirst(element)
        sorted.addFirst(element)
      } else if (step === 5) {
        const other = sorted.elements[draw(sorted.elements.length)] ?? gone
        expect(list.delete(other)).toBe(sorted.delete(other))
      } else if (step === 6) {
        expect(list.delete(gone)).toBe(false)
      } else {
        gone = sorted.elements.shift() ?? gone
        expect(list.take() ?? gone).toBe(gone)
      }
      expect(list.head).toBe(sorted.elements[0])
    }
    expect(list.clear()).toEqual(sorted.elements)
    expect([list.head, list.take(), list.clear()]).toEqual([undefined, undefined, []])
    list.add(gone)
    expect(list.take()).toBe(gone)
  }
})
